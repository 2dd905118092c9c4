"""JSON as models write it: what was complete is recovered, with its span."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.reading.structured import ARRAY, NUMBER, OBJECT, STRING, recover_json


def plain(node):
    """The node as Python values."""
    if node.kind == OBJECT:
        return {key: plain(item) for key, item in node.pairs}
    if node.kind == ARRAY:
        return [plain(item) for item in node.items]
    return float(node.text) if node.kind == NUMBER else node.text


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2]}',
        '{"a": [1, 2],}',
        "{'a': [1, 2]}",
        "{a: [1, 2]}",
        '{"a": [1, 2] // why\n}',
        '{/* why */ "a": [1, 2]}',
        '{"a": (1, 2)}',
        'Here: {"a": [1, 2]} and more text.',
        '```json\n{"a": [1, 2]}\n```',
        "{\u201ca\u201d: [1, 2]}",
    ],
)
def test_the_forms_models_write_mean_the_same(text):
    (node,) = recover_json(text)
    assert plain(node) == {"a": [1.0, 2.0]}
    assert node.complete


@pytest.mark.parametrize("cut", range(1, len('{"a": [1, 2], "b": "x"}')))
def test_a_cut_object_is_incomplete_and_does_not_raise(cut):
    for node in recover_json('{"a": [1, 2], "b": "x"}'[:cut]):
        assert not node.complete


def test_a_span_holds_the_value():
    text = 'so {"a": {"b": "x y"}}'
    (node,) = recover_json(text)
    inner = node.items[0].items[0]
    assert (inner.kind, text[inner.start : inner.end]) == (STRING, '"x y"')


JSON = st.recursive(
    st.floats(0, 100).map(lambda x: round(x, 3)) | st.text("abc xyz", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdef", min_size=1, max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=5), JSON, min_size=1, max_size=4), st.sampled_from([None, 2])
)
def test_proper_json_is_recovered_as_json_reads_it(value, indent):
    (node,) = recover_json(json.dumps(value, indent=indent))
    assert plain(node) == value
