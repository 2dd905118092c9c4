"""`trueness mcp`: a real client over stdio plans, runs, shows and compares."""

import json
import subprocess
import sys
from threading import Timer

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
            run = await call("run", file="tiny.toml")
            return tools, refused, run, await call("show"), await call("compare", a="pc", b="random")

    tools, refused, run, shown, compared = on_the_loop(talk())  # playwright's loop may run in this thread
    assert tools == {"plan", "run", "show", "compare"}
    assert [bad for bad, _ in refused] == [True, True]
    assert "must not begin with '-'" in refused[0][1] and "nowhere.toml" in refused[1][1]
    assert not run[0] and json.loads(run[1])["done"] == 8
    assert not shown[0] and "| asia |" in shown[1].replace("  ", "")
    assert not compared[0] and "sentence" in json.loads(compared[1])


INITIALIZE = {
    "jsonrpc": "2.0", "id": "first", "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}  # fmt: skip


def request(number, method="ping", **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def call(number, tool, **arguments):
    return request(number, "tools/call", name=tool, arguments=arguments)


# what is sent, and the (id, code) of the answers to it: 0 where it is a result
LINES = [
    ("{bad json", [(None, -32700)]),
    ("[" * 100_000, [(None, -32700)]),
    (b"\xff\xfe{}", [(None, -32700)]),
    ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}', [(None, -32700)]),
    ("[]", [(None, -32600)]),
    ("1", [(None, -32600)]),
    ('{"jsonrpc": "2.0", "id": 2}', [(2, -32600)]),
    ('{"id": 3, "method": "ping"}', [(3, -32600)]),
    ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', [(None, -32600)]),
    ('{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', [(None, -32600)]),
    ('{"jsonrpc": "2.0", "id": 4, "method": 5}', [(4, -32600)]),
    (request(5, "nope"), [(5, -32601)]),
    ('{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": [1]}', [(6, -32602)]),
    (call(7, "nope"), [(7, -32602)]),
    (call(8, "show", folder=5), [(8, -32602)]),
    (call(9, "show", foldr="x"), [(9, -32602)]),
    (call(10, "compare", a="x"), [(10, -32602)]),
    (f"[{request(11)}, {request(12, 'nope')}, 13]", [(11, 0), (12, -32601), (None, -32600)]),
    (call(14, "compare", a="\0", b="x"), [(14, 0)]),
    (request("last"), [("last", 0)]),
]


def test_every_request_has_an_answer_also_one_that_is_none_and_one_while_another_runs(tmp_path):
    pytest.importorskip("mcp")
    begin = [json.dumps(INITIALIZE), '{"jsonrpc": "2.0", "method": "notifications/initialized"}']
    command = [sys.executable, "-P", "-m", "trueness", "mcp"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        late = Timer(60, server.kill)  # an answer that never comes ends the test
        late.start()
        sent = [*begin, call("slow", "show", folder="nowhere"), *(line for line, _ in LINES)]
        server.stdin.write(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in sent) + b"\n")
        server.stdin.flush()
        wanted = [answer for _, answers in LINES for answer in answers]
        answers = [json.loads(server.stdout.readline()) for _ in range(len(wanted) + 2)]
        server.stdin.close()
        assert server.wait(30) == 0
        late.cancel()
    given = [(answer["id"], answer.get("error", {"code": 0})["code"]) for answer in answers]
    assert sorted(given, key=str) == sorted([("first", 0), ("slow", 0), *wanted], key=str)
    told = {answer["id"]: answer for answer in answers}
    assert given.index(("slow", 0)) > given.index(("last", 0))
    assert told["slow"]["result"]["isError"] and "nowhere" in told["slow"]["result"]["content"][0]["text"]
    assert told[14]["result"]["isError"] and "null byte" in told[14]["result"]["content"][0]["text"]
    assert "It takes: folder, measure" in told[9]["error"]["message"]
