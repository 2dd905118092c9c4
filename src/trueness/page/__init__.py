"""The page over a study: `report.html`, one self-contained file, and the same page served live by `trueness view`.

    study.db -> StudyPage (pages.py) -> {path: JSON} -> page.html      report.html: the paths lie in the file
                                                      `-> server.py    trueness view: the page asks for them

A path is what the page may ask for: overview, grid/TASK, cell/TASK/ITEM/VARIANT/RESPONDENT, graph/TASK/ITEM, analysis,
figures, progress. Model text leaves here as JSON strings and enters the page as text nodes only.
"""
