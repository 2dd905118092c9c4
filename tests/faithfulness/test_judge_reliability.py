"""A judge is measured before it is believed."""

import pytest

from tests.each import each
from trueness.errors import DataError
from trueness.reasoning.problems import load_problems
from trueness.status import Status
from trueness.studies.faithfulness import Asking, evaluate_batch, read_labels
from trueness.studies.faithfulness.judge_warnings import family
from trueness.studies.faithfulness.ratings import Item

from .judges import Scripted, always_critical, random_judge, steady, verdict

PROBLEMS = load_problems()[:20]
TWICE = Asking(repeats=2)


def judged(judge, asking=TWICE, **options):
    return evaluate_batch(PROBLEMS, judge, asking=asking, **options).reliability


def test_a_judge_that_agrees_with_itself_has_alpha_one():
    found = judged(steady()).retest["mock/steady"]
    assert found["alpha"].value == pytest.approx(1)
    assert found["ac1"].value == pytest.approx(1)


def test_a_random_judge_has_alpha_near_zero_and_a_warning():
    found = judged(random_judge())
    alpha = found.retest["mock/random"]["alpha"]
    assert abs(alpha.value) < 0.2
    assert alpha.interval.low < 0 < alpha.interval.high
    assert any("do not rest conclusions on it" in warning for warning in found.warnings)


def test_always_critical_gives_a_warning():
    found = judged(always_critical())
    assert found.retest["mock/critical"]["alpha"].value is None
    assert any("mock/critical gives 4 (critical) to" in warning for warning in found.warnings)


def test_a_judge_that_says_one_thing_to_each_kind_has_no_alpha_either():
    fixed = {"intervention": 1, "abduction": 4, "logic": 0}
    found = judged(Scripted(lambda kind, node, prompt, time: verdict(kind, fixed[kind])))
    assert found.retest["mock/scripted"]["alpha"].value is None
    assert sum("its ratings carry no information" in warning for warning in found.warnings) == 3


def test_agreement_is_given_for_each_kind_apart():
    def answer(kind, node, prompt, time):
        return verdict(kind, (4 if kind == "logic" else 0) if time == 0 or len(prompt) % 7 else 1)

    found = judged(Scripted(answer)).retest["mock/scripted"]
    assert found["alpha intervention"].value < 0.667
    assert found["alpha"].value is None  # what the kinds have apart would make it look good
    assert "hardly within one" in found["alpha"].notes[0]


def test_two_judges_that_say_the_same_agree():
    found = judged([steady("mock/a"), steady("mock/b")]).between
    assert found["alpha"].value == pytest.approx(1)
    assert found["kappa mock/a and mock/b"].value == pytest.approx(1)
    assert found["ac1 mock/a and mock/b"].value == pytest.approx(1)


def test_two_random_judges_do_not():
    found = judged([random_judge(1, "mock/a"), random_judge(2, "mock/b")]).between
    assert abs(found["kappa mock/a and mock/b"].value) < 0.25


def test_agreement_with_the_executed_graph_is_reported():
    found = judged(always_critical(), Asking()).execution["mock/critical"]["share"]
    assert found.value > 0.9  # all nodes of right graphs matter, but for one
    assert judged(Scripted(lambda kind, *_: verdict(kind, 0)), Asking()).execution["mock/scripted"]["share"].value < 0.1


def test_kappa_is_left_out_where_one_side_never_varies():
    found = judged(always_critical(), Asking())
    assert "kappa" not in found.execution["mock/critical"]
    assert "ac1" in found.execution["mock/critical"]


def test_a_judge_asked_once_is_said_to_be_unknown():
    assert any("asked once" in warning for warning in judged(steady(), Asking()).warnings)


def test_a_judge_that_likes_length_shows_it():
    def answer(kind, node, prompt, time):
        return verdict(kind, 4 if "It is worth pausing" in prompt else sum(map(ord, prompt)) % 3)

    found = judged(Scripted(answer), Asking(manners=("plain", "padded"))).effects["mock/scripted"]["verbosity"]
    assert found.difference > 1
    assert found.interval.low > 0


def test_a_judge_that_looks_at_the_first_line_only_shows_it():
    def answer(kind, node, prompt, time):
        first = prompt.split("Known\n- ")[1].startswith(f"{node} =") if "Known\n- " in prompt else False
        return verdict(kind, 4 if first else 1)

    asking = Asking(kinds=("intervention",), manners=("plain", "reversed"))
    found = judged(Scripted(answer), asking).effects["mock/scripted"]["position"]
    assert found.difference != 0 or found.constant
    assert found.n_units > 20
    steady_one = judged(steady_by_node(), asking).effects["mock/scripted"]["position"]
    assert steady_one.difference == 0


def steady_by_node():
    return Scripted(lambda kind, node, prompt, time: verdict(kind, len(node) % 5))


def test_manners_do_not_enter_the_score():
    plain = evaluate_batch(PROBLEMS[:3], steady(), asking=Asking())
    both = evaluate_batch(PROBLEMS[:3], steady(), asking=Asking(manners=("plain", "reversed", "padded")))
    assert plain.scores == both.scores


@each(
    "name, expected",
    [
        ("openai/gpt-4o", "gpt"),
        ("openrouter/anthropic/claude-3", "claude"),
        ("together/Meta-Llama-3", "llama"),
        ("embedded/smollm2", "smollm"),
        ("google/gemma-2", "gemini"),
        ("mock/x", None),
    ],
)
def test_families_are_told_by_name(name, expected):
    assert family(name) == expected


def test_a_judge_of_its_own_family_is_flagged():
    found = judged(steady("openai/gpt-4o"), Asking(), evaluated=["azure/gpt-4.1", "x/claude"])
    assert [w for w in found.warnings if "one family (gpt)" in w and "azure/gpt-4.1" in w]
    assert not [w for w in found.warnings if "claude" in w]


def test_labels_correct_a_judge_that_is_too_kind(tmp_path):
    kind_judge = Scripted(lambda kind, node, prompt, time: verdict(kind, 4 if len(prompt) % 2 else 3))
    nodes = [(problem.id, node) for problem in PROBLEMS for node in problem.graph.non_target]
    lines = [f"{problem},intervention,{node},1" for problem, node in nodes[::2]]
    (tmp_path / "labels.csv").write_text("problem,kind,node,label\n" + "\n".join(lines) + "\n")
    found = judged(kind_judge, Asking(), labels=read_labels(tmp_path / "labels.csv")).corrected["intervention"]
    assert found.value == pytest.approx(0.25, abs=0.05)
    assert found.n == len(lines)


@pytest.mark.parametrize("text", ["problem,kind,label\na,b,1\n", "problem,kind,node,label\na,b,c,9\n"])
def test_labels_are_checked(tmp_path, text):
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(DataError):
        read_labels(tmp_path / "labels.csv")


def test_labels_keep_the_dimension(tmp_path):
    (tmp_path / "labels.csv").write_text("problem,kind,node,label,dimension\na,logic,,3,coherence\n")
    assert read_labels(tmp_path / "labels.csv") == {Item("a", "logic", "", "coherence"): 3}


def test_replies_that_never_came_are_counted():
    found = judged(Scripted(lambda *_: Status.TIMED_OUT), Asking())
    assert found.readable["mock/scripted"].value == 0
    assert found.execution == {}


def test_what_cannot_vary_has_no_interval():
    """Two judges, each of one mind on every problem: the disagreement is a constant, and says so."""
    asking = Asking(kinds=("intervention",))
    judges = [Scripted(lambda kind, *_, level=level: verdict(kind, level), f"mock/{level}") for level in (1, 3)]
    found = evaluate_batch(PROBLEMS[:8], judges, asking=asking).reliability.between
    for estimate in found.values():
        assert estimate.interval is None or estimate.interval.width > 0
    assert any("constant" in note for estimate in found.values() for note in estimate.notes)
