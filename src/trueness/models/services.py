"""The providers that can be asked: their key variables, their SDKs and what they offer.

A name is `service/model`, as in Inspect AI: openai/gpt-4o, anthropic/..., together/meta-llama/Llama-3.3-70B-....
Any other server that speaks OpenAI's protocol is `openai-api/SERVICE/model` with `base_url`; its key is taken from
SERVICE_API_KEY. Two services are such servers with a name of their own here: qwen and vllm.

Where a model is reached, and which key may go there.

    a key stands in        the environment
    an address comes from  the provider itself, the environment, or the plan

A key of the provider goes to the provider's own address, to an address that stands in the environment too, and to the
hosts that the user has allowed: `--allow-host HOST`. A plan may be a stranger's: it can name an address, but it cannot
give permission, and it names no variable. No value of a key ever reaches a message or a log.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Annotated

from trueness import texts
from trueness.errors import MissingExtra, SettingError, TruenessError, UnknownName
from trueness.models.base import CallOptions, read_options, stated_price
from trueness.outside import Json
from trueness.registry import is_installed
from trueness.settings import Between

OWN, ENVIRONMENT, PLAN = "the provider", "the environment", "the plan"
_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\s/\\@:?#\[\]]+)(?::(\d{1,5}))?(/[^\s\\?#]*)?", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]")
_KEY = re.compile(r"[A-Z0-9_]*_API_KEY")  # variables that hold keys of models
_PORTS = {"https": 443, "http": 80}

_hosts: set[str] = set()  # what the user of this process has allowed; there is nobody else who could


@dataclass(frozen=True)
class Address:
    """`url` as it is used, `host` as it is shown and allowed: llm.lab.example, http://10.0.0.5:8000."""

    url: str
    host: str
    place: str

    @property
    def is_loopback(self) -> bool:
        name = re.sub(r"^http://|:\d+$", "", self.host).strip("[]")
        try:
            return name == "localhost" or ip_address(name).is_loopback
        except ValueError:
            return False


def variable(name: str) -> str:
    """A variable of the environment; '' where it is not set. Blanks and line ends around it are none of it: a key with
    one is refused by HTTP, in a message that shows the key."""
    return os.environ.get(name, "").strip()


def address(text: str, place: str, what: str) -> Address:
    """An address of which we and the SDK, which is handed `url`, cannot have different readings."""
    match = _URL.fullmatch(text.strip())
    name = _ascii(match[2]) if match else ""
    if match is None or not _HOST.fullmatch(name) or int(match[3] or 1) not in range(1, 65536):
        got = "one with '@'" if "@" in text else f"{text!r:.80}"  # what stands before an @ may be a password
        raise SettingError(f"{what} must be http(s)://HOST:PORT/PATH without user, '?' or '#', got {got}.")
    scheme, port = match[1].lower(), int(match[3] or _PORTS[match[1].lower()])
    shown = name if port == _PORTS[scheme] else f"{name}:{port}"
    return Address(f"{scheme}://{shown}{match[4] or ''}", shown if scheme == "https" else f"http://{shown}", place)


def allow(hosts: Iterable[str]) -> None:
    """The user's yes, for the rest of this process: keys may go to these hosts (https where no scheme stands before
    it)."""
    for host in hosts:
        text = host if "://" in host else f"https://{host}"
        _hosts.add(address(text, PLAN, f"--allow-host {host!r:.80}").host)


def _ascii(host: str) -> str:
    """As DNS has it: letters that only look like others show."""
    try:
        return host.lower().encode("idna" if not host.isascii() else "ascii").decode()
    except UnicodeError:
        return ""


MOST_RETRIES = 100
LONGEST_WAIT = 300.0  # seconds; a provider that asks for more is out of quota rather than busy
_WITHOUT_A_KEY = "Without a key there are embedded/smollm2, the mock/... models and the baselines."


@dataclass(frozen=True)
class ServiceOptions(CallOptions):
    """`retries` is how often a call is made again after a fault that may pass, `delay` how many seconds later."""

    base_url: str | None = None
    retries: Annotated[int, Between(0, MOST_RETRIES, closed=True)] = 3
    delay: Annotated[float, Between(0, LONGEST_WAIT, closed=True)] = 5.0


@dataclass(frozen=True)
class Service:
    """One provider. `name` is what stands before the slash; its variables are NAME_API_KEY and NAME_BASE_URL."""

    name: str
    title: str
    model: str  # for instance
    base_url: str = ""  # the provider's own address
    package: str = "openai"  # the SDK that speaks to it
    key_variables: tuple[str, ...] | None = None  # where it is not NAME_API_KEY alone; (): no key is needed
    route: str = ""  # its name in Inspect AI, where it is another
    offers_schema: bool = True
    offers_logprobs: bool = True
    own_sdk: bool = False  # the SDK is this provider's, and so are the headers that it takes from the environment

    @property
    def example(self) -> str:
        return f"{self.name}/{self.model}"

    @property
    def _prefix(self) -> str:
        return self.name.upper().replace("-", "_")

    @property
    def keys(self) -> tuple[str, ...]:
        """Variables that may hold the key, the first one preferred."""
        return (f"{self._prefix}_API_KEY",) if self.key_variables is None else self.key_variables

    @property
    def url_variable(self) -> str:
        return f"{self._prefix}_BASE_URL"

    def needs(self) -> str:
        return self.keys[0] if self.keys else "a server on your machine"


_LISTED = (
    Service("openai", "OpenAI", "gpt-4o", "https://api.openai.com/v1", own_sdk=True),
    Service(
        "anthropic", "Anthropic", "claude-sonnet-4-5", "https://api.anthropic.com", "anthropic",
        own_sdk=True, offers_logprobs=False,
    ),
    Service(
        "google", "Google Gemini", "gemini-2.5-flash", "https://generativelanguage.googleapis.com/", "google.genai",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"), own_sdk=True,
    ),
    Service(  # JSON mode only: the schema itself would not reach the model
        "deepseek", "DeepSeek", "deepseek-chat", "https://api.deepseek.com", offers_schema=False
    ),
    Service("together", "Together AI", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "https://api.together.xyz/v1"),
    Service("openrouter", "OpenRouter", "meta-llama/llama-3.3-70b-instruct", "https://openrouter.ai/api/v1"),
    Service(
        "qwen", "Qwen (Alibaba Model Studio)", "qwen-plus", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_variables=("DASHSCOPE_API_KEY", "QWEN_API_KEY"), route="openai-api/qwen",
    ),
    Service("ollama", "Ollama", "llama3.2", "http://localhost:11434/v1", key_variables=()),
    Service(
        "vllm", "vLLM", "Qwen/Qwen2.5-7B-Instruct", "http://localhost:8000/v1",
        key_variables=(), route="openai-api/vllm",
    ),
)  # fmt: skip
SERVICES = {service.name: service for service in _LISTED}


@dataclass(frozen=True)
class Access:
    """How a model is reached. Its key never shows in a representation."""

    name: str
    route: str  # the name for Inspect AI
    model: str  # what the provider calls it
    address: Address
    key: str  # the variable that holds it; '' where the server is asked without one
    kept: str  # the variable that stays here, where the key may not go to this address
    service: Service
    options: ServiceOptions

    @property
    def secret(self) -> str:
        return variable(self.key) if self.key else "none"  # the SDKs insist on some text

    @property
    def is_providers(self) -> bool:
        """Headers that the SDK takes from the environment may go along (OPENAI_ORG_ID, ANTHROPIC_CUSTOM_HEADERS)."""
        return self.service.own_sdk and self.address.place in (OWN, ENVIRONMENT)

    def elsewhere(self) -> str:
        """One line where the address is not the provider's own; else ''."""
        if self.address.place == OWN:
            return ""
        line = f"{self.name} is asked at {self.address.host} (from {self.address.place})"
        if self.key:
            return f"{line} with {self.key}."
        line += " without a key"
        return f"{line}; --allow-host {self.address.host} sends {self.kept} there." if self.kept else f"{line}."

    def __repr__(self) -> str:
        return f"Access({self.route!r}, {self.address.url!r})"


def access(name: str, options: Mapping[str, Json]) -> Access:
    """The way to a model; an TruenessError that names what is missing, or what the user has not allowed."""
    stated = read_options(ServiceOptions, options, name)
    service, model = _service(name)
    where = _address(name, service, stated)
    key, kept = _key(name, service, where)
    route = f"{service.route}/{model}" if service.route else name
    return Access(name, route, model, where, key, kept, service, stated)


def check_service(name: str, options: Mapping[str, Json]) -> Access:
    """The way to a model; an TruenessError where a package, a key or an option is missing. Nothing is called."""
    way = access(name, options)
    stated_price(way.options.price, name)
    for package in ("inspect_ai", way.service.package):
        if not is_installed(package):
            raise MissingExtra(f"model {name}", {"inspect_ai": "inspect-ai"}.get(package, package), "providers")
    return way


def _service(name: str) -> tuple[Service, str]:
    """The provider of a name, and what the provider calls the model."""
    first, _, model = name.partition("/")
    if first == "openai-api":
        custom, _, model = model.partition("/")
        if custom and model:
            return Service(custom, custom, model), model
        raise SettingError(f"model {name} must be openai-api/SERVICE/MODEL, for instance openai-api/my-lab/llama-3.")
    if first not in SERVICES or not model:
        known = ["embedded/smollm2", *(service.example for service in SERVICES.values())]
        raise UnknownName("model", name, known, "Names are provider/model; 'trueness list models' shows the providers.")
    if SERVICES[first].own_sdk and "/" in model:  # anthropic/bedrock/... is signed with the keys of a cloud
        raise SettingError(
            f"model {name} must be {first}/MODEL, without a cloud in between: its credentials are not read here. "
            "A server of yours that speaks OpenAI's protocol: openai-api/SERVICE/MODEL."
        )
    return SERVICES[first], model


def hide_keys() -> None:
    """No key of a model, whoever reads it (a model, learner or task of the user's own), gets into a text that is
    stored."""
    for name, value in os.environ.items():
        if _KEY.fullmatch(name):
            texts.hide(value.strip())


def _address(name: str, service: Service, options: ServiceOptions) -> Address:
    """The plan's, else that of the environment, else the provider's own; which it is whoever states it."""
    providers = address(service.base_url, OWN, name) if service.base_url else None
    if options.base_url:
        where = address(options.base_url, PLAN, f"'base_url' of model {name}")
    elif set_elsewhere := variable(service.url_variable):
        where = address(set_elsewhere, ENVIRONMENT, service.url_variable)
    elif providers:
        where = providers
    else:
        raise SettingError(
            f'model {name} needs the address of its server: base_url = "https://.../v1" in its options, or '
            f"{service.url_variable}."
        )
    return replace(where, place=OWN) if providers and where.host == providers.host else where


def _key(name: str, service: Service, where: Address) -> tuple[str, str]:
    """The key that is sent; or '', with the variable that is kept back because it may not go there."""
    key = next(filter(variable, service.keys), "")
    if not key:
        if not service.keys or where.is_loopback:
            return "", ""  # a server on this machine
        raise TruenessError(
            f"model {name} needs a key: set {' or '.join(service.keys)} in the environment (of a .env: set -a; "
            f". ./.env). {_WITHOUT_A_KEY}"
        )
    value = variable(key)
    texts.hide(value)
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise TruenessError(f"{key} must be one word of ASCII characters, as a header of HTTP is.")
    if where.place == PLAN and where.host not in _hosts:
        if where.is_loopback:
            return "", key  # a server on this machine mostly needs none; who named it gets none of ours
        raise TruenessError(
            f"model {name} would send {key} to {where.host} (from {where.place}). Allow it with --allow-host "
            f"{where.host}, or state both in the environment."
        )
    return key, ""
