"""Does a model know real distributions: P(V1 given V2 = v) in a population against what the model believes.

questions.py                                     what is asked: Question, task files, the tasks of the package
survey_rows.py, truth.py                         what is true: weighted conditional distributions, how well known
elicitation.py, modes.py                         how a model is asked, and what its replies say
answers.py, scores.py, tables.py                 what was said, how it scores, tables over tasks and models
original_results.py                              the same from a folder of the original's result files
"""

STUDY = {
    "order": 3,
    "class": "plan:Population",
    "offers": {
        ("list", "populations"): "questions:task_rows",
        ("card", "populations"): "questions:task_card",
        ("show", ".json"): "reading:foreign_results",
    },
}
