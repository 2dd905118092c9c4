"""A server on loopback that speaks the protocols of OpenAI, Anthropic and Google, faults included.

    with Loopback(lambda prompt: "Precision: [0.6, 0.8]") as server:
        server.then(Turn(code=429, retry_after="1"), Turn(cut=True))      # what the next requests meet
        model = Provided("openai/gpt-4o", {"base_url": server.openai})

It counts the requests of each prompt, so that a test can say that every reply was paid once.
"""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any


@dataclass(frozen=True)
class Turn:
    """How one request is met; without anything it is answered."""

    text: str | None = None  # in place of what the server would answer
    code: int = 200
    error: str = "something went wrong"
    retry_after: str | None = None
    hang: float = 0.0  # seconds before the answer
    cut: bool = False  # the connection ends in the middle of the body
    malformed: bool = False  # the body is no JSON
    shapeless: bool = False  # the body is JSON of another shape
    refusal: bool = False
    truncated: bool = False
    extra_logprobs: int = 0  # tokens too many in the log-probabilities
    redirect: str | None = None  # where the request is sent on to (307: method, body and most headers go along)
    model: str | None = None  # who says it has answered, where it is not who was asked
    usage: Any = "counted"  # tokens as the provider counts them: one value for in and out, or None for no usage at all
    packed: bytes | None = None  # the body, packed by gzip, in place of the answer's
    replaces: tuple[tuple[bytes, bytes], ...] = ()  # in the body, before it is sent


@dataclass
class Seen:
    """A request as it came."""

    path: str
    prompt: str
    body: dict[str, Any]
    headers: dict[str, str] = field(repr=False, default_factory=dict)


class Loopback:
    def __init__(self, answer: Callable[[str], str] = lambda prompt: "Precision: [0.6, 0.8]"):
        self.answer = answer
        self.refuses: set[str] = set()  # parameters that are met with a 400
        self.packs = False  # whether answers are packed by gzip, asked for or not
        self.requests: list[Seen] = []
        self.paid: Counter[str] = Counter()  # complete answers, by prompt, as a provider would bill them
        self.concurrent = self.most_concurrent = 0
        self._turns: deque[Turn] = deque()
        self._lock = Lock()
        self._stopping = Event()

    def then(self, *turns: Turn) -> None:
        """What the next requests meet, in their order; after that all are answered."""
        with self._lock:
            self._turns.extend(turns)

    def __enter__(self) -> Loopback:
        loopback = self

        class Handler(_Handler):
            server_state = loopback

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai(self) -> str:
        return f"{self.url}/v1"

    @property
    def counts(self) -> Counter[str]:
        """Requests by prompt."""
        return Counter(seen.prompt for seen in self.requests)

    def take(self, seen: Seen) -> Turn:
        with self._lock:
            self.requests.append(seen)
            return self._turns.popleft() if self._turns else Turn()

    def wait(self, seconds: float) -> None:
        self._stopping.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    server_state: Loopback
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        state = self.server_state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        speak = next(speak for part, speak in PROTOCOLS.items() if part in self.path)
        seen = Seen(self.path, speak.prompt(body), body, {k.lower(): v for k, v in self.headers.items()})
        turn = state.take(seen)
        with state._lock:
            state.concurrent += 1
            state.most_concurrent = max(state.most_concurrent, state.concurrent)
        try:
            if turn.hang:
                state.wait(turn.hang)
            self._meet(state, speak, seen, turn)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up waiting
        finally:
            with state._lock:
                state.concurrent -= 1

    def _meet(self, state: Loopback, speak: Any, seen: Seen, turn: Turn) -> None:
        refused = sorted(name for name in state.refuses if name in json.dumps(seen.body))
        if refused:
            message = f"Unsupported parameter: '{refused[0]}' is not supported with this model."
            return self._send(400, json.dumps(speak.error(400, message)).encode())
        if turn.redirect is not None:
            return self._send(307, b"{}", location=turn.redirect + self.path)
        if turn.code != 200:
            return self._send(turn.code, json.dumps(speak.error(turn.code, turn.error)).encode(), turn.retry_after)
        text = turn.text if turn.text is not None else state.answer(seen.prompt)
        answer = speak.reply(seen.body, seen.prompt, text, turn)
        if turn.model is not None:
            answer[speak.MODEL] = turn.model
        if turn.usage != "counted":
            counts = answer[speak.USAGE].items()
            answer[speak.USAGE] = (
                {k: turn.usage if isinstance(v, int) else v for k, v in counts} if turn.usage else None
            )
        payload = json.dumps(answer).encode()
        for old, new in turn.replaces:
            payload = payload.replace(old, new)
        if turn.malformed:
            payload = payload[: len(payload) // 2] + b"<html>"
        if turn.shapeless:
            payload = b'["not", "an", "object"]'
        if turn.cut:
            return self._cut(payload)
        if turn.packed is not None:
            return self._send(200, turn.packed, packed=True)
        if state.packs:
            return self._send(200, gzip.compress(payload), packed=True)
        with state._lock:
            state.paid[seen.prompt] += 1  # before the last byte: whoever has the answer finds it counted
        self._send(200, payload)

    def _send(
        self,
        code: int,
        payload: bytes,
        retry_after: str | None = None,
        location: str | None = None,
        packed: bool = False,
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(payload)

    def _cut(self, payload: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2])
        self.wfile.flush()
        self.close_connection = True


def tokens(text: str) -> list[str]:
    """Tokens of four characters: enough for counts that grow with the text."""
    return [text[k : k + 4] for k in range(0, len(text), 4)]


class OpenAI:
    """POST /v1/chat/completions"""

    MODEL, USAGE = "model", "usage"

    @staticmethod
    def prompt(body: dict[str, Any]) -> str:
        return "\n".join(_flat(message["content"]) for message in body["messages"])

    @staticmethod
    def error(code: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "error", "param": None, "code": None}}

    @staticmethod
    def reply(body: dict[str, Any], prompt: str, text: str, turn: Turn) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        if turn.refusal:
            message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
        choice = {"index": 0, "message": message, "finish_reason": "length" if turn.truncated else "stop"}
        if body.get("logprobs"):
            parts = tokens(text) + ["more"] * turn.extra_logprobs
            choice["logprobs"] = {"content": [_openai_token(part, body.get("top_logprobs", 0)) for part in parts]}
        n_in, n_out = len(tokens(prompt)), len(tokens(text))
        usage = {"prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": [choice],
            "usage": usage | {"prompt_tokens_details": {"cached_tokens": n_in // 2}},
        }


class Anthropic:
    """POST /v1/messages"""

    MODEL, USAGE = "model", "usage"

    @staticmethod
    def prompt(body: dict[str, Any]) -> str:
        system = [_flat(body["system"])] if body.get("system") else []
        return "\n".join([*system, *(_flat(message["content"]) for message in body["messages"])])

    @staticmethod
    def error(code: int, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "api_error", "message": message}}

    @staticmethod
    def reply(body: dict[str, Any], prompt: str, text: str, turn: Turn) -> dict[str, Any]:
        n_in, n_out = len(tokens(prompt)), len(tokens(text))
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}] if text and not turn.refusal else [],
            "stop_reason": "refusal" if turn.refusal else "max_tokens" if turn.truncated else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": n_in, "output_tokens": n_out},
        }


class Google:
    """POST /v1beta/models/NAME:generateContent"""

    MODEL, USAGE = "modelVersion", "usageMetadata"

    @staticmethod
    def prompt(body: dict[str, Any]) -> str:
        turns = [body["systemInstruction"]] if body.get("systemInstruction") else []
        return "\n".join(part["text"] for turn in [*turns, *body["contents"]] for part in turn["parts"])

    @staticmethod
    def error(code: int, message: str) -> dict[str, Any]:
        status = {429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 400: "INVALID_ARGUMENT"}.get(code, "UNKNOWN")
        return {"error": {"code": code, "message": message, "status": status}}

    @staticmethod
    def reply(body: dict[str, Any], prompt: str, text: str, turn: Turn) -> dict[str, Any]:
        n_in, n_out = len(tokens(prompt)), len(tokens(text))
        finish = "SAFETY" if turn.refusal else "MAX_TOKENS" if turn.truncated else "STOP"
        candidate: dict[str, Any] = {"index": 0, "finishReason": finish}
        if not turn.refusal:
            candidate["content"] = {"role": "model", "parts": [{"text": text}]}
        if body.get("generationConfig", {}).get("responseLogprobs"):
            parts = tokens(text) + ["more"] * turn.extra_logprobs
            chosen = [{"token": part, "logProbability": -0.5, "tokenId": 1} for part in parts]
            candidate["logprobsResult"] = {
                "chosenCandidates": chosen,
                "topCandidates": [{"candidates": [entry]} for entry in chosen],
            }
        return {
            "candidates": [candidate],
            "usageMetadata": {
                "promptTokenCount": n_in,
                "candidatesTokenCount": n_out,
                "totalTokenCount": n_in + n_out,
            },
        }


class Responses:
    """POST /v1/responses, OpenAI's other protocol, which its reasoning models are asked through."""

    MODEL, USAGE = "model", "usage"

    @staticmethod
    def prompt(body: dict[str, Any]) -> str:
        return "\n".join(_flat(item["content"]) for item in body["input"] if "content" in item)

    error = OpenAI.error

    @staticmethod
    def reply(body: dict[str, Any], prompt: str, text: str, turn: Turn) -> dict[str, Any]:
        n_in, n_out = len(tokens(prompt)), len(tokens(text))
        content: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
        if turn.refusal:
            content = {"type": "refusal", "refusal": "I can't help with that."}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": int(time.time()),
            "model": body["model"],
            "status": "incomplete" if turn.truncated else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if turn.truncated else None,
            "error": None,
            "output": [
                {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [content]}
            ],
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
            "usage": {
                "input_tokens": n_in,
                "output_tokens": n_out,
                "total_tokens": n_in + n_out,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        }


PROTOCOLS: dict[str, Any] = {  # part of the path -> who speaks there
    "/chat/completions": OpenAI,
    "/responses": Responses,
    "/messages": Anthropic,
    ":generateContent": Google,
}


def _openai_token(part: str, rivals: int) -> dict[str, Any]:
    entry = {"token": part, "logprob": -0.5, "bytes": list(part.encode(errors="replace"))}
    others = [{"token": f"{part}{k}", "logprob": -1.0 - k, "bytes": None} for k in range(max(0, rivals - 1))]
    return entry | {"top_logprobs": [entry, *others][:rivals]}


def _flat(content: Any) -> str:
    """Text of a message, given as one or as parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)
