"""`trueness mcp`: a real client over stdio plans, runs, shows and compares."""

import json
import sys

import pytest

from trueness.models.provider import on_the_loop

PLAN = 'name = "tiny"\n[discovery]\ndatasets = ["asia", "cancer"]\nlearners = ["pc", "random"]\nruns = 2\nrows = 200\n'


def test_an_agent_plans_runs_shows_and_compares(tmp_path):
    mcp = pytest.importorskip("mcp")
    (tmp_path / "tiny.toml").write_text(PLAN)
    server = mcp.StdioServerParameters(command=sys.executable, args=["-P", "-m", "trueness", "mcp"], cwd=str(tmp_path))

    async def talk():
        async with mcp.Client(server, read_timeout_seconds=300) as client:

            async def call(name, **arguments):
                answer = await client.call_tool(name, arguments)
                return answer.is_error, "".join(part.text for part in answer.content)

            tools = {tool.name for tool in (await client.list_tools()).tools}
            refused = [await call("show", folder="--help"), await call("run", file="nowhere.toml")]
            refused += [await call("compare", a="\0", b="x"), await call("show", folder=5)]
            run = await call("run", file="tiny.toml")
            return tools, refused, run, await call("show"), await call("compare", a="pc", b="random")

    tools, refused, run, shown, compared = on_the_loop(talk())  # playwright's loop may run in this thread
    assert tools == {"plan", "run", "show", "compare"}
    assert [bad for bad, _ in refused] == [True] * 4
    assert "must not begin with '-'" in refused[0][1] and "nowhere.toml" in refused[1][1]
    assert "null byte" in refused[2][1] and "string" in refused[3][1]
    assert not run[0] and json.loads(run[1])["done"] == 8
    assert not shown[0] and "| asia |" in shown[1].replace("  ", "")
    assert not compared[0] and "sentence" in json.loads(compared[1])
