"""Keys from `.env`: read, never overriding, never shown."""

import pytest

from tests.each import each
from trueness.errors import SettingError
from trueness.models.services import ENV_FILE, ENVIRONMENT, parse_env, read_env, variable


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("KEY=abc", "abc"),
        ("  KEY = abc  ", "abc"),
        ("export KEY=abc", "abc"),
        ('KEY="a b # c"', "a b # c"),
        ("KEY='a b' # the lab's", "a b"),
        ("KEY=abc # the lab's", "abc"),
        ("KEY=abc#def", "abc#def"),
        ("KEY=", ""),
        ("KEY= # none yet", ""),
        ("KEY=a=b", "a=b"),
        ('KEY="unclosed', '"unclosed'),
    ],
)
def test_a_line_is_read(line, value):
    assert parse_env(line) == {"KEY": value}


@each("line", ["", "# KEY=abc", "just words", "1KEY=abc", "=abc"])
def test_a_line_that_is_no_assignment_is_left_out(line):
    assert parse_env(line) == {}


def test_the_environment_wins(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("TRUENESS_TEST_KEY=from-file\n")
    assert variable("TRUENESS_TEST_KEY", tmp_path) == ("TRUENESS_TEST_KEY", "from-file", ENV_FILE)
    monkeypatch.setenv("TRUENESS_TEST_KEY", "from-environment")
    assert variable("TRUENESS_TEST_KEY", tmp_path) == ("TRUENESS_TEST_KEY", "from-environment", ENVIRONMENT)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", " ", "\t", "\u2028"])
def test_line_ends_around_a_value_are_none_of_it(tmp_path, monkeypatch, end):
    monkeypatch.setenv("TRUENESS_TEST_KEY", f"{end}sk-abc{end}")
    assert variable("TRUENESS_TEST_KEY", tmp_path).value == "sk-abc"


def test_an_unreadable_file_does_not_show_its_content(tmp_path):
    (tmp_path / ".env").write_bytes(b"KEY=\xff\xfesecret")
    with pytest.raises(SettingError) as caught:
        read_env(tmp_path / ".env")
    assert "secret" not in str(caught.value)
