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
    """One provider."""

    title: str
    example: str
    package: str = "openai"  # the SDK that speaks to it
    keys: tuple[str, ...] = ()  # variables that may hold the key, the first one preferred; none: no key is needed
    url_variable: str = ""
    base_url: str = ""  # the provider's own address
    route: str = ""  # its name in Inspect AI, where it is another
    offers_schema: bool = True
    offers_logprobs: bool = True
    own_sdk: bool = False  # the SDK is this provider's, and so are the headers that it takes from the environment

    def needs(self) -> str:
        return self.keys[0] if self.keys else "a server on your machine"


SERVICES = {
    "openai": Service(
        "OpenAI",
        "openai/gpt-4o",
        keys=("OPENAI_API_KEY",),
        url_variable="OPENAI_BASE_URL",
        base_url="https://api.openai.com/v1",
        own_sdk=True,
    ),
    "anthropic": Service(
        "Anthropic",
        "anthropic/claude-sonnet-4-5",
        package="anthropic",
        keys=("ANTHROPIC_API_KEY",),
        url_variable="ANTHROPIC_BASE_URL",
        base_url="https://api.anthropic.com",
        own_sdk=True,
        offers_logprobs=False,
    ),
    "google": Service(
        "Google Gemini",
        "google/gemini-2.5-flash",
        package="google.genai",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        url_variable="GOOGLE_BASE_URL",
        base_url="https://generativelanguage.googleapis.com/",
        own_sdk=True,
    ),
    "deepseek": Service(
        "DeepSeek",
        "deepseek/deepseek-chat",
        keys=("DEEPSEEK_API_KEY",),
        url_variable="DEEPSEEK_BASE_URL",
        base_url="https://api.deepseek.com",
        offers_schema=False,  # JSON mode only: the schema itself would not reach the model
    ),
    "together": Service(
        "Together AI",
        "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        keys=("TOGETHER_API_KEY",),
        url_variable="TOGETHER_BASE_URL",
        base_url="https://api.together.xyz/v1",
    ),
    "openrouter": Service(
        "OpenRouter",
        "openrouter/meta-llama/llama-3.3-70b-instruct",
        keys=("OPENROUTER_API_KEY",),
        url_variable="OPENROUTER_BASE_URL",
        base_url="https://openrouter.ai/api/v1",
    ),
    "qwen": Service(
        "Qwen (Alibaba Model Studio)",
        "qwen/qwen-plus",
        keys=("DASHSCOPE_API_KEY", "QWEN_API_KEY"),
        url_variable="QWEN_BASE_URL",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        route="openai-api/qwen",
    ),
    "ollama": Service(
        "Ollama", "ollama/llama3.2", url_variable="OLLAMA_BASE_URL", base_url="http://localhost:11434/v1"
    ),
    "vllm": Service(
        "vLLM",
        "vllm/Qwen/Qwen2.5-7B-Instruct",
        url_variable="VLLM_BASE_URL",
        base_url="http://localhost:8000/v1",
        route="openai-api/vllm",
    ),
}


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
        prefix = custom.upper().replace("-", "_")
        if custom and model:
            keys = (f"{prefix}_API_KEY",)
            return Service(custom, name, keys=keys, url_variable=f"{prefix}_BASE_URL"), model
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
