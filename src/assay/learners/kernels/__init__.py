"""The loops that learners share."""
