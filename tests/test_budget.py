"""The size of a room is a decision: budget.toml holds it, and a number there goes down to what was reached."""

from tools.size import budget, sizes

SLACK = 60  # lines: a landing that leaves more than this unused lowers the number


def test_every_room_keeps_its_budget():
    allowed, held = budget(), sizes()
    assert set(allowed) == set(held), "each room has one number in budget.toml"
    over = {name: f"{held[name]:,} lines, {allowed[name]:,} allowed" for name in held if held[name] > allowed[name]}
    assert over == {}, "cut something, or raise the number with its reason in the commit message"


def test_the_numbers_go_down_to_what_was_reached():
    allowed, held = budget(), sizes()
    assert {name: held[name] for name in held if held[name] < allowed[name] - SLACK} == {}
