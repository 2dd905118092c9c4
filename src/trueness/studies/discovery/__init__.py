"""What graph does a learner find in data whose graph we know?"""
