"""Learners under corrupted data: how many edges to keep, and how much the answer depends on that number."""

STUDY = {"order": 5, "class": "plan:Robustness", "offers": {("evaluate", "matrices"): "stored:evaluate_folders"}}
