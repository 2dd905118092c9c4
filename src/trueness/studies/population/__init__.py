"""Does a model know real distributions: P(V1 given V2 = v) in a population against what the model believes.

questions.py, question_files.py    what is asked: Question, task files, the tasks that come with the package
cells.py, truth.py                 what is true: weighted conditional distributions and how well they are known
high_dimensional.py                the same for P(Y | X1 ... Xk)
answers.py, scores.py, summary.py  what was said, how it scores, tables over tasks and models
"""

STUDY = {
    "order": 3,
    "class": "plan:Population",
    "offers": {
        ("new", "population"): "new_file:new_tasks",
        ("list", "populations"): "listing:rows",
        ("card", "populations"): "listing:card",
    },
}
