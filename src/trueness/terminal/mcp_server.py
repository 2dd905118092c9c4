"""Four commands as tools of an agent, over stdio: `trueness mcp` (Model Context Protocol).

Each tool is the command itself in a process of its own, so that its rules, limits and one-line errors are those of the
terminal. A tool takes no permission: what only the user may allow (`--allow-host`, `--allow-key`) no agent can. A plan
that names Python code is refused, unless the user started the server with --allow-code.
"""

from __future__ import annotations

import asyncio
import sys

from trueness.registry import need

MOST = 200_000  # characters of one answer
_FIRST = ["--no-code"]  # before every command; nothing where the user allows code


async def command(*words: str) -> str:
    """What `trueness WORDS` prints; where it ends in an error, its line."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "trueness", *_FIRST, *words,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, err = (text.decode("utf-8", "replace") for text in await process.communicate())
    finally:
        if process.returncode is None:  # the agent gave up: what is stored stays, and the same call goes on
            process.terminate()
            await process.wait()
    if process.returncode == 2:
        raise _refusal(err.strip() or out.strip())
    return out if len(out) <= MOST else f"{out[:MOST]}\n... cut at {MOST:,} of {len(out):,} characters"


def _words(*parts: str) -> list[str]:
    """Paths and names, none of them an option."""
    for part in parts:
        if part.startswith("-"):
            raise _refusal(f"a path or name must not begin with '-', got {part!r}. Write ./{part} for a file.")
    return [part for part in parts if part]


def _refusal(text: str) -> Exception:
    """An error whose text the agent is told; that of any other is kept from it."""
    from mcp.server.mcpserver.exceptions import ToolError

    return ToolError(text)


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
    from mcp.server import MCPServer

    server = MCPServer("trueness", instructions=__doc__, log_level="ERROR")
    for tool in (plan, run, show, compare):
        server.tool()(tool)
    server.run("stdio")
