"""What graph does a learner find in data whose graph we know?"""

STUDY = {"order": 1, "class": "plan:Discovery"}
