"""Four commands as tools of an agent, over stdio: `trueness mcp` (Model Context Protocol).

Each tool is the command itself in a process of its own, so that its rules, limits and one-line errors are those of the
terminal. A tool takes no permission: what only the user may allow (`--allow-host`, `--allow-key`) no agent can. A plan
that names Python code is refused, unless the user started the server with --allow-code.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any, cast

from trueness import __version__
from trueness.errors import TruenessError, did_you_mean, listed
from trueness.outside import MAX_RECORDS, Json, json_of, one_line
from trueness.registry import need

GRACE = 30.0  # seconds for what was read before the agent closed the pipe; the rest of a study is done by the next call
MOST, MOST_SAID = 200_000, 300  # characters of one answer, of an error
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
_NOT_BEGUN = "'initialize' must be the first request. Send it, then this one again."
_ANY_TIME = ("ping", "notifications/initialized", None)  # None: an answer
_FIRST = ["--no-code"]  # before every command; nothing where the user allows code


async def command(*words: str) -> str:
    """What `trueness WORDS` prints; where it ends in an error, its line."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "trueness", *_FIRST, *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    except (OSError, ValueError) as error:  # a null in a name, a name longer than the system takes
        raise TruenessError(f"the command cannot be started: {one_line(error)}. Give shorter, plain names.") from None
    try:
        out, err = (text.decode("utf-8", "replace") for text in await process.communicate())
    finally:
        if process.returncode is None:  # the agent gave up: what is stored stays, and the same call goes on
            process.terminate()
            await process.wait()
    if process.returncode == 2:
        raise TruenessError(err.strip().removeprefix("trueness: ") or out.strip())
    if not out.strip():  # it crashed, or was killed
        why = err.strip().rpartition("\n")[2] or f"exit code {process.returncode}"
        raise TruenessError(f"'trueness {words[0]}' ended without an answer: {why}")
    return out if len(out) <= MOST else f"{out[:MOST]}\n... cut at {MOST:,} of {len(out):,} characters"


def _words(*parts: str) -> list[str]:
    """Paths and names, none of them an option."""
    for part in parts:
        if part.startswith("-"):
            raise TruenessError(f"a path or name must not begin with '-', got {part!r}. Write ./{part} for a file.")
    return [part for part in parts if part]


async def plan(file: str = "") -> str:
    """Fits, calls, tokens, time and cost of a study.toml, and what its design can show at all, as JSON. Asks no model.

    file: path of a study.toml; empty for the quickstart.
    """
    return await command("plan", *_words(file), "--json")


async def run(file: str = "") -> str:
    """Do what is missing of a study, then its scores, tables, charts and page; the end as JSON. May take long.

    Stopped or killed, the same call goes on and pays for no reply twice. file: a study.toml or a study folder.
    """
    return await command("run", *_words(file), "--json")


async def show(folder: str = "", measure: str = "") -> str:
    """The tables of a study as Markdown, also while it runs. folder: empty for the newest below results/."""
    return await command("show", *_words(folder), *(["--measure", *_words(measure)] if measure else []), "--md")


async def compare(a: str, b: str, folder: str = "", measure: str = "") -> str:
    """Two respondents of a study (learners, models, baselines), or two files of scores or logs: the paired difference,
    its interval, test and a sentence, as JSON."""
    return await command(
        "compare", *_words(a, b, folder), *(["--measure", *_words(measure)] if measure else []), "--json"
    )


TOOLS = {tool.__name__: tool for tool in (plan, run, show, compare)}


def serve(allow_code: bool = False) -> None:
    """Answer until the agent closes the pipe, and then what was read before."""
    if allow_code:
        _FIRST.clear()
    need("mcp", "'trueness mcp'")
    import anyio

    anyio.run(_serve)


async def _serve() -> None:
    import anyio
    import mcp_types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError
    from mcp.shared.message import SessionMessage

    async def list_tools(*_: object) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(
            tools=[
                mcp_types.Tool(name=n, description=tool.__doc__, input_schema=_schema(n)) for n, tool in TOOLS.items()
            ]
        )

    async def call_tool(_: object, call: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        wrong = _wrong_call(call.name, call.arguments or {})
        if wrong:
            raise MCPError(code=mcp_types.INVALID_PARAMS, message=wrong)
        try:
            text, failed = await TOOLS[call.name](**(call.arguments or {})), False
        except TruenessError as error:
            text, failed = f"trueness: {error}", True
        return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=text)], is_error=failed)

    unanswered: set[str | int] = set()
    closed, answered = anyio.Event(), anyio.Event()  # no line comes any more; all that was asked is answered

    async def messages() -> AsyncIterator[str]:
        """Lines of the agent, one message each; what is no message is answered here, which the library leaves out."""
        begun = False
        while line := await anyio.to_thread.run_sync(sys.stdin.buffer.readline, MAX_RECORDS):
            for message, fault in _messages(line):
                if fault is None:
                    begun = begun or message.get("method") == "initialize" or "_meta" in _parameters(message)
                    fault = None if begun or message.get("method") in _ANY_TIME else (INVALID_REQUEST, _NOT_BEGUN)
                if fault is None:
                    if "method" in message and (number := _id_of(message)) is not None:
                        unanswered.add(number)
                    unanswered.discard(_parameters(message).get("requestId"))  # cancelled: it gets no answer
                    yield json.dumps(message)
                    continue
                error = mcp_types.ErrorData(code=fault[0], message=fault[1][:MOST_SAID])
                answer = mcp_types.JSONRPCError(jsonrpc="2.0", id=_id_of(message), error=error)
                await write.send(SessionMessage(answer))
        closed.set()
        if unanswered:
            with suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, answered.set)
            with anyio.move_on_after(GRACE):
                await answered.wait()

    server = Server(
        "trueness", version=__version__, instructions=__doc__, on_list_tools=list_tools, on_call_tool=call_tool
    )
    replies, sent = anyio.create_memory_object_stream[SessionMessage](0)

    async def pass_on() -> None:
        async with write, sent:
            async for reply in sent:
                await write.send(reply)
                unanswered.discard(getattr(reply.message, "id", None))
                if closed.is_set() and not unanswered:
                    answered.set()

    async with stdio_server(stdin=cast(Any, messages())) as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(pass_on)
        await server.run(read, cast(Any, replies), server.create_initialization_options())


def _schema(name: str) -> dict[str, Json]:
    """Every argument of a tool is a text."""
    arguments = signature(TOOLS[name]).parameters.values()
    return {
        "type": "object",
        "properties": {a.name: {"type": "string"} for a in arguments},
        "required": [a.name for a in arguments if a.default is a.empty],
        "additionalProperties": False,
    }


def _wrong_call(name: str, arguments: Mapping[str, Json]) -> str:
    """What is wrong with the arguments of a call, or nothing."""
    if name not in TOOLS:
        return f"{name!r} is not a tool. {did_you_mean(name, TOOLS) or f'There are: {listed(TOOLS)}.'}"
    schema = _schema(name)
    for argument, value in arguments.items():
        if argument not in schema["properties"]:
            known = listed(schema["properties"])
            return f"{argument!r} is not an argument of {name}. It takes: {known}."
        if not isinstance(value, str):
            return f"{argument!r} of {name} must be a text, got {type(value).__name__}."
    missing = [argument for argument in schema["required"] if argument not in arguments]
    return f"{name} must be given {listed(missing)}, got no such argument." if missing else ""


def _messages(line: bytes) -> Iterator[tuple[Json, tuple[int, str] | None]]:
    """The messages of a line (several in a batch, each answered by itself) and the error of each that is none."""
    if not line.strip():
        return
    try:
        value = json_of(line.decode("utf-8"), "a message")
    except (TruenessError, UnicodeDecodeError) as error:
        yield None, (PARSE_ERROR, one_line(error))
        return
    for message in value if isinstance(value, list) and value else [value]:
        yield message, _fault_of(message)


def _fault_of(message: Json) -> tuple[int, str] | None:
    """JSON-RPC 2.0 as MCP restricts it: an id is a text or a whole number, parameters stand by name."""
    if not isinstance(message, dict):
        return INVALID_REQUEST, f"a message must be an object, got {type(message).__name__}."
    if message.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, f"'jsonrpc' must be '2.0', got {message.get('jsonrpc')!r}."
    if "id" in message and _id_of(message) is None:
        return INVALID_REQUEST, f"'id' must be a text or a whole number, got {message['id']!r}."
    if "method" not in message:
        answers = isinstance(message.get("result"), dict) or isinstance(message.get("error"), dict)
        return None if answers and "id" in message else (INVALID_REQUEST, "a request must have a 'method', got none.")
    if not isinstance(message["method"], str):
        return INVALID_REQUEST, f"'method' must be a text, got {message['method']!r}."
    if "id" in message and not isinstance(message.get("params"), dict | None):
        return INVALID_PARAMS, f"'params' must be an object, got {type(message['params']).__name__}."
    return None


def _parameters(message: Mapping[str, Json]) -> Mapping[str, Json]:
    parameters = message.get("params")
    return parameters if isinstance(parameters, dict) else {}


def _id_of(message: Json) -> str | int | None:
    """What an answer names; None where it cannot be told."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None
