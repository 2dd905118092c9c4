"""What a fit without an answer says."""

from trueness.errors import TruenessError
from trueness.running.outcomes import failure_line, without_answer
from trueness.status import Status


def test_our_own_errors_are_told_as_they_are_and_others_with_their_place():
    def caught(error):
        try:
            raise error
        except Exception as found:
            return failure_line(found)

    assert caught(TruenessError("which must be what.")) == "which must be what."
    assert caught(ValueError("two\n lines")).startswith("ValueError: two lines (test_outcomes.py:")


def test_no_answer_has_a_status_and_no_score():
    found = without_answer(Status.FAILED, "why", 1.5)
    assert (found["status"], found["answer"], found["scores"]) == ("failed", None, {})
