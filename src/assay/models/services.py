"""The providers that can be asked: their key variables, their SDKs and what they offer.

A name is `service/model`, as in Inspect AI: openai/gpt-4o, anthropic/..., together/meta-llama/Llama-3.3-70B-....
Any other server that speaks OpenAI's protocol is `openai-api/SERVICE/model` with `base_url`; its key is taken from
SERVICE_API_KEY. Two services are such servers with a name of their own here: qwen and vllm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from assay.errors import AssayError, MissingExtra, SettingError, UnknownName
from assay.models.base import FIXED, check_options, fixed_settings, option
from assay.models.env_file import variable
from assay.models.prices import stated_price
from assay.registry import is_installed

OPTIONS = ("base_url", "concurrency", "delay", "key_variable", "price", "retries", *FIXED)
_WITHOUT_A_KEY = "Without a key there are embedded/smollm2, the mock/... models and the baselines."


@dataclass(frozen=True)
class Service:
    """One provider."""

    title: str
    example: str
    package: str = "openai"  # the SDK that speaks to it
    keys: tuple[str, ...] = ()  # variables that may hold the key, the first one preferred; none: no key is needed
    url_variable: str = ""
    base_url: str = ""  # where it is not the SDK's own
    route: str = ""  # its name in Inspect AI, where it is another
    offers_schema: bool = True
    offers_logprobs: bool = True

    def needs(self) -> str:
        return self.keys[0] if self.keys else "a server on your machine"


SERVICES = {
    "openai": Service("OpenAI", "openai/gpt-4o", keys=("OPENAI_API_KEY",), url_variable="OPENAI_BASE_URL"),
    "anthropic": Service(
        "Anthropic",
        "anthropic/claude-sonnet-4-5",
        package="anthropic",
        keys=("ANTHROPIC_API_KEY",),
        url_variable="ANTHROPIC_BASE_URL",
        offers_logprobs=False,
    ),
    "google": Service(
        "Google Gemini",
        "google/gemini-2.5-flash",
        package="google.genai",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        url_variable="GOOGLE_BASE_URL",
    ),
    "deepseek": Service(
        "DeepSeek",
        "deepseek/deepseek-chat",
        keys=("DEEPSEEK_API_KEY",),
        url_variable="DEEPSEEK_BASE_URL",
        offers_schema=False,  # JSON mode only: the schema itself would not reach the model
    ),
    "together": Service(
        "Together AI",
        "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        keys=("TOGETHER_API_KEY",),
        url_variable="TOGETHER_BASE_URL",
    ),
    "openrouter": Service(
        "OpenRouter",
        "openrouter/meta-llama/llama-3.3-70b-instruct",
        keys=("OPENROUTER_API_KEY",),
        url_variable="OPENROUTER_BASE_URL",
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

    route: str  # the name for Inspect AI
    base_url: str | None
    key: str
    service: Service

    def __repr__(self) -> str:
        return f"Access({self.route!r}, {self.base_url!r})"


def access(name: str, options: Mapping[str, Any]) -> Access:
    """The way to a model; an AssayError that names what is missing."""
    check_options(options, OPTIONS, name)
    service, model = _service(name)
    base_url = option(options, "base_url", None, str, name) or variable(service.url_variable) or service.base_url
    if name.startswith("openai-api/") and not base_url:
        raise SettingError(
            f'model {name} needs the address of its server: base_url = "https://.../v1" in its options, or '
            f"{service.url_variable}."
        )
    route = f"{service.route}/{model}" if service.route else name
    return Access(route, base_url or None, _key(name, service, base_url, options), service)


def check_service(name: str, options: Mapping[str, Any]) -> None:
    """Raise an AssayError where a package, a key or an option is missing. Nothing is imported or called."""
    access(name, options)
    stated_price(options.get("price"), name)
    fixed_settings(options, name)
    service, _ = _service(name)
    if option(options, "concurrency", 10, int, name) < 1:
        raise SettingError(f"'concurrency' of model {name} must be at least 1, got {options['concurrency']}.")
    for package in ("inspect_ai", service.package):
        if not _can_import(package):
            raise MissingExtra(f"model {name}", {"inspect_ai": "inspect-ai"}.get(package, package), "providers")


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
        raise UnknownName("model", name, known, "Names are provider/model; 'assay list models' shows the providers.")
    return SERVICES[first], model


def _key(name: str, service: Service, base_url: str, options: Mapping[str, Any]) -> str:
    stated = option(options, "key_variable", None, str, name)
    keys = (stated,) if stated else service.keys
    for key in keys:
        value = variable(key)
        if value:
            return value
    if not stated and (not service.keys or _is_loopback(base_url)):
        return "none"  # a server on this machine; the SDKs insist on some text
    raise AssayError(
        f"model {name} needs a key: set {' or '.join(keys)} in the environment or in a .env file. {_WITHOUT_A_KEY}"
    )


def _is_loopback(base_url: str) -> bool:
    return urlsplit(base_url).hostname in ("localhost", "127.0.0.1", "::1")


def _can_import(package: str) -> bool:
    try:
        return is_installed(package)
    except ModuleNotFoundError:  # the parent of a dotted name is not there
        return False
