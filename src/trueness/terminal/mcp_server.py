"""Four commands as tools of an agent, over stdio: `trueness mcp` (Model Context Protocol, by its own library).

Each tool is the command itself in a process of its own, so that its rules, limits and one-line errors are those of the
terminal. A tool takes no permission: what only the user may allow (`--allow-host`) no agent can. A plan
that names Python code is refused, unless the user started the server with --allow-code.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import wraps

from trueness import __version__
from trueness.errors import TruenessError
from trueness.outside import one_line
from trueness.registry import need

Tool = Callable[..., Awaitable[str]]
MOST = 200_000  # characters of one answer
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


def serve(allow_code: bool = False) -> None:
    """Answer until the agent closes the pipe."""
    if allow_code:
        _FIRST.clear()
    need("mcp", "'trueness mcp'")
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    def told(tool: Tool) -> Tool:
        @wraps(tool)
        async def call(**arguments: str) -> str:
            try:
                return await tool(**arguments)
            except TruenessError as error:
                raise ToolError(f"trueness: {error}") from None

        return call

    server = MCPServer("trueness", version=__version__, instructions=__doc__, log_level="ERROR")
    for tool in (plan, run, show, compare):
        server.add_tool(told(tool), structured_output=False)
    server.run()
