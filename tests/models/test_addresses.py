"""Which key goes where: a plan of a stranger names addresses and variables, and gets no key for it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.each import each
from trueness.errors import SettingError, TruenessError
from trueness.models import allow, build, check_ready, elsewhere, services
from trueness.models.services import ENVIRONMENT, PLAN, SERVICES, access, address
from trueness.texts import arriving

httpx = pytest.importorskip("httpx")  # what the SDKs ask with

KEY = "sk-of-the-user-4711"
OTHER = "https://other.example/v1"
LOOPBACK = "http://127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(services, "_hosts", set())
    for service in SERVICES.values():
        for name in (*service.keys, service.url_variable):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def put(monkeypatch):
    """Put a variable into one of the places, or an address into the plan: the options of a model."""
    options = {}

    def put(name, value, place):
        if place == ENVIRONMENT:
            monkeypatch.setenv(name, value)
        else:
            options["base_url"] = value
        return options

    return put


@each("end", ["\n", "\r", "\r\n", " ", "\t", "\u2028"])
def test_line_ends_around_a_value_are_none_of_it(monkeypatch, end):
    monkeypatch.setenv("TRUENESS_TEST_KEY", f"{end}sk-abc{end}")
    assert services.variable("TRUENESS_TEST_KEY") == "sk-abc"


def test_a_key_goes_to_an_address_of_the_environment_and_of_no_plan(put):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    options = put("OPENAI_BASE_URL", OTHER, PLAN)
    with pytest.raises(TruenessError) as refused:
        access("openai/gpt-4o", options)
    said = str(refused.value)
    assert "OPENAI_API_KEY" in said and "other.example" in said and "--allow-host other.example" in said
    assert KEY not in said and "\n" not in said
    assert check_ready("openai/gpt-4o", options) == said
    put("OPENAI_BASE_URL", OTHER, ENVIRONMENT)
    assert access("openai/gpt-4o", {}).secret == KEY


def test_the_users_yes_sends_it_there(put):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    allow(hosts=["other.example"])
    assert access("openai/gpt-4o", {"base_url": OTHER}).secret == KEY


@pytest.mark.parametrize("name", [service.example for service in SERVICES.values() if service.keys])
def test_the_providers_own_address_needs_no_yes_wherever_it_is_said(put, name):
    service = SERVICES[name.split("/")[0]]
    put(service.keys[0], KEY, ENVIRONMENT)
    for options in ({}, {"base_url": service.base_url}):
        assert access(name, options).secret == KEY
        assert elsewhere(name, options) == ""


def test_a_server_on_this_machine_that_a_plan_names_is_asked_without_a_key(put):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    options = {"base_url": LOOPBACK}
    assert access("openai/gpt-4o", options).secret == "none"
    assert "--allow-host http://127.0.0.1:8000" in elsewhere("openai/gpt-4o", options)
    allow(hosts=["http://127.0.0.1:8000"])
    assert access("openai/gpt-4o", options).secret == KEY


def test_a_plan_names_no_variable(put):
    put("STRIPE_API_KEY", KEY, ENVIRONMENT)
    assert "'key_variable' is not a setting" in check_ready("openai/gpt-4o", {"key_variable": "STRIPE_API_KEY"})


@pytest.mark.parametrize(
    "asked", ["http://other.example/v1", "https://other.example:8443/v1", "https://sub.other.example/v1"]
)
def test_a_yes_is_for_one_scheme_host_and_port(put, asked):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    allow(hosts=["other.example"])
    assert "--allow-host" in check_ready("openai/gpt-4o", {"base_url": asked})
    assert check_ready("openai/gpt-4o", {"base_url": "https://OTHER.example:443/v1"}) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com@other.example/v1",
        "https://user:pass@api.openai.com/v1",
        "https://other.example\\@api.openai.com/v1",
        "https://other.example#@api.openai.com/v1",
        "https://other.example?@api.openai.com/v1",
        "https://api.openai.com:443:80/v1",
        "https://api.openai.com:0/v1",
        "https://api.openai.com:65536/v1",
        "https://[::1/v1",
        "https:///v1",
        "ftp://api.openai.com/v1",
        "file:///etc/passwd",
        "api.openai.com/v1",
        "https://api.openai.com\n.other.example/v1",
        "https://%6fther.example/v1",
    ],
)
def test_an_address_with_two_readings_is_refused_and_its_password_not_shown(put, url):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    said = check_ready("openai/gpt-4o", {"base_url": url})
    assert "must be http(s)://HOST" in said and "pass@" not in said and "\n" not in said


@pytest.mark.parametrize(
    "url", ["https://api.оpenai.com/v1", "https://api.openai.com./v1", "https://api.openai.com.x/v1"]
)
def test_a_host_that_looks_like_the_providers_is_another_and_shows(put, url):
    put("OPENAI_API_KEY", KEY, ENVIRONMENT)
    said = check_ready("openai/gpt-4o", {"base_url": url})
    assert "would send OPENAI_API_KEY" in said
    assert said.isascii()


urls = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["https://", "http://", "HTTPS://", "//", ""]),
    st.text(st.sampled_from("ab.@:/\\?#[]%-_0ü１\t\n\x00 "), max_size=12),
    st.sampled_from(["", "@api.openai.com", ".example", ":80", ":x", "[::1]"]),
    st.sampled_from(["", "/v1", "?a=b", "#f", "\\v1"]),
)


@given(urls)
@example("https://a\\@b/")
@example("http://[::1]:80/v1")
def test_we_and_the_client_read_the_same_host(url):
    try:
        where = address(url, PLAN, "x")
    except SettingError:
        return
    theirs = httpx.URL(where.url)
    name = theirs.raw_host.decode()
    host = f"[{name}]" if ":" in name else name
    port = "" if theirs.port is None else f":{theirs.port}"
    assert where.host == ("http://" if theirs.scheme == "http" else "") + host + port
    assert theirs.userinfo == b""


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://127.8.9.1/v1", "http://[::1]:8000/v1"])
def test_loopback_is_known(url):
    assert address(url, PLAN, "x").is_loopback


@pytest.mark.parametrize("url", ["http://localhost.other.example", "http://127.0.0.1.other.example", "http://0x7f.1"])
def test_what_only_looks_like_loopback_is_none(url):
    assert not address(url, PLAN, "x").is_loopback


@pytest.mark.parametrize(
    "name", ["anthropic/bedrock/claude-x", "anthropic/vertex/x", "google/vertex/x", "openai/azure/x"]
)
def test_clouds_that_sign_with_credentials_of_their_own_are_refused(put, name):
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        put(variable, KEY, ENVIRONMENT)
    assert "without a cloud in between" in check_ready(name, {"base_url": OTHER})


@pytest.mark.parametrize(
    "value", ["sk-two\nlines-4711", "sk-two words-4711", "sk-zero​width-4711", "sk-\x1b[2Jescape-4711"]
)
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(put, value):
    put("OPENAI_API_KEY", value, ENVIRONMENT)
    said = check_ready("openai/gpt-4o")
    assert "OPENAI_API_KEY must be one word" in said
    assert "4711" not in said
    assert "4711" not in arriving(f"illegal header {value!r}")


def test_what_is_not_the_providers_own_is_told_in_one_line(put):
    assert elsewhere("vllm/a/b", {"base_url": "http://10.0.0.5:8000/v1"}) == (
        "vllm/a/b is asked at http://10.0.0.5:8000 (from the plan) without a key."
    )
    assert [elsewhere(name) for name in ("mock/vacuous", "embedded/smollm2", "ollama/llama3.2", "openai/x")] == [""] * 4


def test_a_wrong_yes_is_refused_in_one_line():
    with pytest.raises(SettingError, match="--allow-host 'user@host' must be"):
        allow(hosts=["user@host"])


OWN_MODEL = """
class Model:
    concurrency, offers_schema, offers_logprobs = {concurrency}, False, False
    def __init__(self, name, options):
        self.name = name
        {init}
    def ask(self, messages, settings): ...
    def close(self): ...
"""


@each("value", ["0", "-1", "1001", "10**9", "2.5", "True", "'4'", "None", "float('nan')"])
def test_concurrency_of_a_model_of_ones_own_is_a_number_of_calls(tmp_path, value):
    (tmp_path / "own.py").write_text(OWN_MODEL.format(concurrency=value, init="pass"))
    with pytest.raises(
        SettingError, match="'concurrency' of model own.py:Model must be a whole number in .1, 1000., got"
    ):
        build("own.py:Model", folder=tmp_path)


def test_a_model_of_ones_own_that_cannot_be_made_is_one_line_without_its_key(tmp_path, put):
    put("OWN_API_KEY", KEY, ENVIRONMENT)
    init = f"raise RuntimeError('no access with {KEY}')"
    (tmp_path / "own.py").write_text(OWN_MODEL.format(concurrency=1, init=init))
    assert check_ready("own.py:Model", folder=tmp_path) == (
        "model own.py:Model cannot be made: RuntimeError: no access with ***"
    )


def test_a_model_of_ones_own_without_its_parts_is_refused(tmp_path):
    (tmp_path / "own.py").write_text("class Model:\n    def __init__(self, name, options): ...\n")
    assert "must have name, concurrency" in check_ready("own.py:Model", folder=tmp_path)
