"""The providers that can be asked: their key variables, their SDKs and what they offer.

A name is `service/model`, as in Inspect AI: openai/gpt-4o, anthropic/..., together/meta-llama/Llama-3.3-70B-....
Any other server that speaks OpenAI's protocol is `openai-api/SERVICE/model` with `base_url`; its key is taken from
SERVICE_API_KEY. Two services are such servers with a name of their own here: qwen and vllm. Which key may go to which
address: addresses.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from trueness import texts
from trueness.errors import MissingExtra, SettingError, TruenessError, UnknownName
from trueness.models.addresses import (
    ENVIRONMENT,
    OWN,
    PLAN,
    Address,
    EnvVariable,
    address,
    all_variables,
    may_be_a_key,
    may_be_paired,
    may_go,
    variable,
)
from trueness.models.base import CallOptions, read_options
from trueness.models.prices import stated_price
from trueness.outside import Json
from trueness.registry import is_installed
from trueness.settings import Between

MOST_RETRIES = 100
LONGEST_WAIT = 300.0  # seconds; a provider that asks for more is out of quota rather than busy
_WITHOUT_A_KEY = "Without a key there are embedded/smollm2, the mock/... models and the baselines."


@dataclass(frozen=True)
class ServiceOptions(CallOptions):
    """`retries` is how often a call is made again after a fault that may pass, `delay` how many seconds later."""

    base_url: str | None = None
    key_variable: str | None = None
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
    key: EnvVariable | None  # None where the server is asked without one
    kept: str  # the variable that stays here, where the key may not go to this address
    service: Service
    options: ServiceOptions

    @property
    def secret(self) -> str:
        return self.key.value if self.key else "none"  # the SDKs insist on some text

    @property
    def is_providers(self) -> bool:
        """Headers that the SDK takes from the environment may go along (OPENAI_ORG_ID, ANTHROPIC_CUSTOM_HEADERS)."""
        return self.service.own_sdk and self.address.place in (OWN, ENVIRONMENT)

    def elsewhere(self) -> str:
        """One line where the address or the variable is not the provider's own; else ''."""
        if self.address.place == OWN and (self.key is None or self.key.name in self.service.keys):
            return ""
        line = f"{self.name} is asked at {self.address.host} (from {self.address.place})"
        if self.key:
            return f"{line} with {self.key.name} (from {self.key.place})."
        line += " without a key"
        return f"{line}; --allow-host {self.address.host} sends {self.kept} there." if self.kept else f"{line}."

    def __repr__(self) -> str:
        return f"Access({self.route!r}, {self.address.url!r})"


def access(name: str, options: Mapping[str, Json]) -> Access:
    """The way to a model; an TruenessError that names what is missing, or what the user has not allowed."""
    stated = read_options(ServiceOptions, options, name)
    service, model = _service(name)
    where = _address(name, service, stated)
    key, kept = _key(name, service, where, stated)
    route = f"{service.route}/{model}" if service.route else name
    return Access(name, route, model, where, key, kept, service, stated)


def check_service(name: str, options: Mapping[str, Json]) -> Access:
    """The way to a model; an TruenessError where a package, a key or an option is missing. Nothing is called."""
    way = access(name, options)
    stated_price(way.options.price, name)
    for package in ("inspect_ai", way.service.package):
        if not _can_import(package):
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
    for name, value in all_variables().items():
        if may_be_a_key(name):
            texts.hide(value.strip())


def _address(name: str, service: Service, options: ServiceOptions) -> Address:
    """The plan's, else that of the environment or .env, else the provider's own; which it is whoever states it."""
    providers = address(service.base_url, OWN, name) if service.base_url else None
    if options.base_url:
        where = address(options.base_url, PLAN, f"'base_url' of model {name}")
    elif set_elsewhere := variable(service.url_variable):
        where = address(set_elsewhere.value, set_elsewhere.place, f"{set_elsewhere.name} of {set_elsewhere.place}")
    elif providers:
        where = providers
    else:
        raise SettingError(
            f'model {name} needs the address of its server: base_url = "https://.../v1" in its options, or '
            f"{service.url_variable}."
        )
    return replace(where, place=OWN) if providers and where.host == providers.host else where


def _key(name: str, service: Service, where: Address, options: ServiceOptions) -> tuple[EnvVariable | None, str]:
    """The key that is sent; or None, with the variable that is kept back because it may not go there."""
    stated = options.key_variable
    if stated and not may_be_a_key(stated):
        raise SettingError(
            f"'key_variable' of model {name} must be a variable whose name ends in _API_KEY, got {stated!r:.80}. "
            f"Allow it with --allow-key {stated:.80}"
        )
    names = (stated,) if stated else service.keys
    key = next((candidate for candidate in map(variable, names) if candidate), None)
    if key is None:
        if not stated and (not service.keys or where.is_loopback):
            return None, ""  # a server on this machine
        raise TruenessError(
            f"model {name} needs a key: set {' or '.join(names)} in the environment or in a .env file. {_WITHOUT_A_KEY}"
        )
    texts.hide(key.value)
    if not (key.value.isascii() and key.value.isprintable() and " " not in key.value):
        raise TruenessError(f"{key.name} of {key.place} must be one word of ASCII characters, as a header of HTTP is.")
    would = f"model {name} would send {key.name} (from {key.place}) to {where.host} (from {where.place})"
    if not may_go(key.place, where):
        if where.is_loopback and not stated:
            return None, key.name  # a server on this machine mostly needs none; who named it gets none of ours
        raise TruenessError(f"{would}. Allow it with --allow-host {where.host}, or state both in the environment.")
    if not may_be_paired(key.name, service.keys, where):
        raise TruenessError(f"{would}. It is no key of {service.title}: allow it with --allow-key {key.name}")
    return key, ""


def _can_import(package: str) -> bool:
    try:
        return is_installed(package)
    except ModuleNotFoundError:  # the parent of a dotted name is not there
        return False
