"""The commands and their options, as `--help` shows them."""

from __future__ import annotations

import argparse
import sys
from textwrap import fill
from typing import NoReturn

from trueness import __version__, registry
from trueness.errors import did_you_mean
from trueness.printing import say

DESCRIPTION = "Measure what causal-discovery algorithms really do, and whether language models know it."
COMMONEST = """the three commonest:
  trueness run                  the quickstart: learners on data, then a model
  trueness analyse scores.csv   the statistics on a scores table, or on logs
  trueness run study.toml       your study; 'trueness new' writes its plan
"""


class OneLineParser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        if "invalid choice" in message and "COMMAND" in message:
            word = message.split("'")[1]
            known = [str(word) for action in self._actions if action.dest == "command" for word in action.choices or ()]
            message = f"{word!r} is not a command. {did_you_mean(word, known) or 'Try: trueness --help.'}"
        say(f"trueness: {message}", stderr=True)
        sys.exit(2)

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def, override]
        """A name behind an option is one of the names: argparse takes those in front of the first option alone."""
        options, rest = super().parse_known_args(args, namespace)
        names = getattr(options, "names", None)
        while names and rest and not rest[0].startswith("-"):
            names.append(rest.pop(0))
        return options, rest


def command_line() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = OneLineParser(
        prog="trueness", description=fill(DESCRIPTION, 80), epilog=COMMONEST, formatter_class=formatter
    )
    parser.add_argument("--version", action="version", version=f"trueness {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.add_argument("--no-code", action="store_true", help="refuse what names Python code, as my_file.py:MyLearner")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=OneLineParser)

    new = commands.add_parser("new", help="write a commented study.toml, or a sheet for experts to fill")
    new.add_argument("task", help=" | ".join(registry.new_names()))
    new.add_argument(
        "file",
        nargs="?",
        help="where to write it (default: study.toml, or experts.csv); or your data, for a file of questions about it",
    )
    new.add_argument("--plan", help="human-sheet: the plan whose questions go on it (default: the quickstart)")

    plan = commands.add_parser("plan", help="cells, fits, calls, time, cost, and what the design can show; asks nobody")
    plan.add_argument("file", nargs="?", help="a study.toml (default: the quickstart)")
    _add_place(plan)
    _add_permissions(plan)

    run = commands.add_parser("run", help="do what is missing; with no file: the quickstart")
    run.add_argument("file", nargs="?", help="a study.toml, or a study folder to go on with (default: the quickstart)")
    _add_place(run)
    _add_permissions(run)
    run.add_argument("--retry", action="store_true", help="also do again what failed or timed out")
    run.add_argument("--replan", action="store_true", help="let this plan replace the one the folder was made from")
    run.add_argument(
        "--verify",
        nargs="?",
        type=float,
        const=0.01,
        metavar="SHARE",
        help="instead: do a random share of the stored units again (default 0.01) and compare",
    )

    show = commands.add_parser("show", help="tables of a study in the terminal; also while it runs")
    show.add_argument(
        "folder", nargs="?", help="a study folder (default: the newest under results/), or result files of others"
    )
    show.add_argument("--measure", action="append", help="which measures (repeatable; default: the headline ones)")
    show.add_argument("--csv", action="store_true", help="one line a cell and measure")
    show.add_argument("--tex", action="store_true", help="LaTeX tables (booktabs)")
    show.add_argument("--md", action="store_true", help="Markdown tables")
    show.add_argument("--svg", metavar="FILE", help="the terminal's tables as a picture")

    report = commands.add_parser("report", help="read, score and write everything of a study anew; asks nobody")
    report.add_argument("folder", nargs="?", help="a study folder (default: the newest under results/)")

    view = commands.add_parser("view", help="the page of a study on 127.0.0.1, live while it runs")
    view.add_argument("folders", nargs="*", metavar="FOLDER", help="studies, or a folder of them (default: results/)")
    view.add_argument("--port", type=int, default=8765, help="default: 8765; the next free one where it is taken")
    view.add_argument("--no-browser", action="store_true", help="only say where the page is")

    analyse = commands.add_parser("analyse", help="the statistics on any scores table, or on logs of other harnesses")
    _add_analyse(analyse)

    evaluate = commands.add_parser("evaluate", help="stored score matrices and corrupted data of others, by folder")
    _add_evaluate(evaluate)

    compare = commands.add_parser(
        "compare",
        help="two respondents of a study, or two files of scores or logs: paired difference, interval, test",
        usage="trueness compare [options] NEW (--baseline OLD | OLD) [FOLDER]",
    )
    compare.add_argument("names", nargs="*", metavar="NAME", help=(
        "a learner, a model, a baseline, a variant; or a file of scores, a log; last, a study folder (default: the "
        "newest under results/)"
    ))  # fmt: skip
    compare.add_argument("--baseline", metavar="OLD", help="what the first is compared with")
    compare.add_argument("--gate", metavar="SENTENCE", help='end with 1 where it holds: "worse by more than 2 points"')
    compare.add_argument("--measure", help="which measure (default: the study's first headline measure)")
    compare.add_argument("--unscored", help="of two files: a run without a score: failed | missing (default: missing)")
    for name, what in (("csv", "one line"), ("tex", "a LaTeX table (booktabs)"), ("md", "a Markdown table")):
        compare.add_argument(f"--{name}", action="store_true", help=what)

    read = commands.add_parser("read", help="what the reader finds in replies of your own, one JSON line a reply")
    read.add_argument("file", help="a text file (one reply), a .jsonl file with a 'text' field a line, or - for stdin")
    read.add_argument("--nodes", type=int, help="variables of the true graph; bounds SHD by d(d-1)/2")

    lists = commands.add_parser(
        "list", help="learners, scorers, datasets, corruptions, populations, models, measures, tasks; NAME: its card"
    )
    lists.add_argument(
        "kind", help="learners | scorers | datasets | corruptions | populations | models | measures | tasks"
    )
    lists.add_argument("name", nargs="?", help="one of them, or a file of your own")

    check = commands.add_parser(
        "check", help="contract checks of a learner, a look at a data set, a question to a model"
    )
    check.add_argument("name", help="a learner, data set or model; your own: my_file.py:MyLearner, plant.csv:graph.dot")
    for option, words in registry.own_commands()["learn"]["options"].items():
        if option in ("kinds", "drop", "decimal"):
            check.add_argument(f"--{option}", help=words)
    check.add_argument("--edge-cases", action="store_true", help="a model: three more questions whose answer is known")
    _add_permissions(check)

    mcp = commands.add_parser(
        "mcp", help="plan, run, show, compare as tools of an agent, over stdio (Model Context Protocol)"
    )
    mcp.add_argument("--allow-code", action="store_true", help="let agents run plans that name Python code")

    schema = commands.add_parser("schema", help="JSON schemas of every --json and every file that a study writes")
    schema.add_argument("name", nargs="?", help="which one (default: a list of them)")

    judge = commands.add_parser("judge", help="can a judge be believed? agreement, bias, corrected mean, labels needed")
    judge.add_argument("file", help="a table: item, judge, verdict; also label, repeat, cluster")
    judge.add_argument("--half-width", type=float, default=0.05, help="wanted of the corrected mean (default: 0.05)")

    takes_json = [new, plan, run, show, analyse, evaluate, compare, report, view, lists, check, schema, judge]
    for study, whats in registry.study_commands().items():
        command = commands.add_parser(study, help=f"{', '.join(whats)} FILE, beside a run")
        command.add_argument("what", choices=whats)
        command.add_argument("file", help="what it is done to; - for standard input")
        for option, words in registry.study_options(study).items():
            command.add_argument(f"--{option}", default="", help=words)
        takes_json.append(command)
    for study, entry in registry.own_commands().items():
        command = commands.add_parser(study, help=entry["help"])
        command.add_argument("file", help=entry["file"])
        for option, words in entry["options"].items():
            command.add_argument(f"--{option}", help=words)
        command.add_argument("--workers", type=int, help="processes on this machine (default: one a core)")
        takes_json.append(command)
    for command in takes_json:
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_analyse(command: argparse.ArgumentParser) -> None:
    """The options are the settings of analyse.analysis_settings.AnalysisSettings, by the same names."""
    add = command.add_argument
    add(
        "files",
        nargs="*",
        help="CSV, TSV, JSONL, parquet, .eval, .json; NAME=FILE names a domain; or one TOML of settings",
    )
    add("--condition", metavar="COLUMN", help="the column whose values are compared (default: by usual names)")
    add("--baseline", help="the condition without treatment (RQ1)")
    add("--treatment", help="the condition that is hoped to be better (RQ2)")
    add("--score", metavar="COLUMN", help="the column with the score of a run")
    add("--lower-is-better", action="store_true", default=None, help="of --score")
    add("--measure", help="which measure of a long table")
    add("--unit", metavar="COLUMNS", help="what is paired (default: model,task)")
    add("--cluster", metavar="COLUMN", help="what was drawn independently (default: task; none: the unit)")
    add("--exclude", action="append", metavar="COLUMN=VALUE", help="leave out, e.g. model=x; shown both ways")
    add("--strip-prefix", metavar="TEXT", help="of the names of models")
    add("--one-sided", action="store_true", default=None, help="declared beforehand: the treatment is better")
    add("--adjust", help="holm | bh (default: bh)")
    add("--unscored", help="a run without a score: failed | missing (default: 0 of 0 rules failed, a blank is missing)")
    add(
        "--families",
        action="append",
        metavar="NAME=MODELS",
        help="models to be compared together, e.g. claude=haiku+opus; once a family",
    )
    add("--interval", help="of means over runs: percentile | bca (default: percentile)")
    add("--gate", metavar="SENTENCE", help='end with 1 where it holds, e.g. "worse by more than 2 points"')
    add("--out", metavar="FOLDER", help="write table.csv, table.tex, findings.txt, report.html")
    for name, what in (
        ("csv", "one line a domain, question and reading"),
        ("tex", "LaTeX tables (booktabs)"),
        ("md", "Markdown tables"),
    ):
        add(f"--{name}", action="store_true", help=what)
    add("--html", action="store_true", help="one self-contained page")


def _add_evaluate(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "artifacts", help="a folder of matrices (.npy, .csv): CORRUPTION/METHOD, METHOD/CORRUPTION, or one a corruption"
    )
    add(
        "--data",
        metavar="FOLDER",
        help="CORRUPTION/X.npy (or .csv) with M.npy, 1 where observed: baselines are run on it",
    )
    add("--truth", metavar="FILE", help="the true graph as a matrix (default: A_true.npy or .csv in the folders)")
    add(
        "--validation", metavar="NAME", help="the corruption that K is chosen on (default: compound_full, or the first)"
    )
    add("--metric", choices=("f1", "shd"), default="f1", help="K by the greatest F1 or the least SHD (default: f1)")
    add("--scorers", metavar="NAMES", help="baselines for the data, by comma (default: the document's; none: none)")
    add("--lags", type=int, default=2, help="of the data: 0 for rows without time order (default: 2)")
    for kind, what in (("required", "expects"), ("forbidden", "rules out")):
        add(f"--{kind}", action="append", metavar="EDGE", help=f"an edge that an expert {what}: 'T -> RH' (repeatable)")
    add("--column-to-row", action="store_true", help="[i, j] of a matrix means j -> i (default: i -> j)")
    add("--out", metavar="FOLDER", help="write evaluation_report.json, tables, sensitivity curves, A_sparse_*.npy")


def _add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument("--folder", help="the study folder (default: the plan's own)")
    command.add_argument("--workers", type=int, help="processes on this machine (default: one a core)")
    command.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, e.g. tcp://10.0.0.5:8786")


def _add_permissions(command: argparse.ArgumentParser) -> None:
    """What only the user may allow, and no plan."""
    what = "let keys go to this address of a plan, e.g. llm.lab.example, http://10.0.0.5:8000 (repeatable)"
    command.add_argument("--allow-host", action="append", default=[], metavar="HOST", help=what)
