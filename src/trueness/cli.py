"""The command line: parse, call, print. It holds no rule of its own, and imports what it needs when it needs it.

Exit codes: 0 done, 1 finished with failed runs (or a failed check), 2 a user's mistake, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NoReturn

from trueness import __version__, registry
from trueness.errors import TruenessError, did_you_mean
from trueness.printing import say, say_json

if TYPE_CHECKING:
    from trueness.analyse import Analysis
    from trueness.running.study import Study

DESCRIPTION = "Measure what causal-discovery algorithms really do, and whether language models know it."
COMMONEST = """the three commonest:
  trueness run                  the quickstart: learners on data, then a model
  trueness analyse scores.csv   the statistics on a scores table, or on logs
  trueness run study.toml       your study; 'trueness new' writes its plan
"""


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        if "invalid choice" in message and "COMMAND" in message:
            word = message.split("'")[1]
            known = (*_COMMANDS, *registry.study_commands())
            message = f"{word!r} is not a command. {did_you_mean(word, known) or 'Try: trueness --help.'}"
        say(f"trueness: {message}", stderr=True)
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = _Parser(prog="trueness", description=fill(DESCRIPTION, 80), epilog=COMMONEST, formatter_class=formatter)
    parser.add_argument("--version", action="version", version=f"trueness {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

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

    compare = commands.add_parser("compare", help="two respondents of a study: paired difference, interval, test")
    compare.add_argument("a", metavar="A", help="a learner, a model, a baseline, a variant; or a file of scores, a log")
    compare.add_argument("b", metavar="B", help="what it is compared with")
    compare.add_argument("--gate", metavar="SENTENCE", help='end with 1 where it holds: "worse by more than 2 points"')
    compare.add_argument("folder", nargs="?", help="a study folder (default: the newest under results/)")
    compare.add_argument("--measure", help="which measure (default: the study's first headline measure)")
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
    check.add_argument("--edge-cases", action="store_true", help="a model: three more questions whose answer is known")
    _add_permissions(check)

    commands.add_parser(
        "mcp", help="plan, run, show, compare as tools of an agent, over stdio (Model Context Protocol)"
    )

    schema = commands.add_parser("schema", help="JSON schemas of every --json and every file that a study writes")
    schema.add_argument("name", nargs="?", help="which one (default: a list of them)")

    judge = commands.add_parser("judge", help="can a judge be believed? agreement, bias, corrected mean, labels needed")
    judge.add_argument("file", help="a table: item, judge, verdict; also label, position, length, repeat, cluster")
    judge.add_argument("--half-width", type=float, default=0.05, help="wanted of the corrected mean (default: 0.05)")

    whats = registry.study_commands()
    own = [commands.add_parser(study, help=f"{', '.join(words)} FILE, beside a run") for study, words in whats.items()]
    for command, choices in zip(own, whats.values(), strict=True):
        command.add_argument("what", choices=choices)
        command.add_argument("file", help="what it is done to")
    for command in (new, plan, run, show, analyse, evaluate, compare, report, view, lists, check, schema, judge, *own):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_analyse(command: argparse.ArgumentParser) -> None:
    """The options are the settings of analyse.settings.Settings, by the same names."""
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
        "--families", action="append", metavar="NAME=MODELS", help="models that belong together, e.g. claude=haiku+opus"
    )
    add("--interval", help="of means over runs: percentile | bca (default: percentile)")
    add("--gate", metavar="SENTENCE", help='end with 1 where it holds, e.g. "worse by more than 2 points"')
    add("--out", metavar="FOLDER", help="write table.csv, table.tex, findings.txt, report.html, charts/ with pictures")
    for name, what in (
        ("csv", "one line a domain, question and reading"),
        ("tex", "LaTeX tables (booktabs)"),
        ("md", "Markdown tables"),
    ):
        add(f"--{name}", action="store_true", help=what)
    add("--html", action="store_true", help="one self-contained page")
    add("--details", action="store_true", help="every rule, flag and number in the terminal")


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
    add("--column-to-row", action="store_true", help="[i, j] of a matrix means j -> i (default: i -> j)")
    add("--out", metavar="FOLDER", help="write evaluation_report.json, tables, sensitivity curves, A_sparse_*.npy")


def _add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument("--folder", help="the study folder (default: the plan's own)")
    command.add_argument("--workers", type=int, help="processes on this machine (default: one a core)")
    command.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, e.g. tcp://10.0.0.5:8786")


def _add_permissions(command: argparse.ArgumentParser) -> None:
    """What only the user may allow, and no plan."""
    for name, metavar, what in (
        ("host", "HOST", "let keys go to this address of a plan or .env, e.g. llm.lab.example, http://10.0.0.5:8000"),
        ("key", "NAME", "let a plan use this variable as the key of a model that it is not made for"),
    ):
        what += " (repeatable)"
        command.add_argument(f"--allow-{name}", action="append", default=[], metavar=metavar, help=what)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        say(parser.format_help(), end="")
        return 0
    try:
        return int(_COMMANDS.get(options.command, _of_study)(options))
    except TruenessError as error:
        if options.debug:
            raise
        say(f"trueness: {error}", stderr=True)
        return 2
    except KeyboardInterrupt:
        say("\ntrueness: interrupted.", stderr=True)
        return 130
    except BrokenPipeError:  # `trueness show | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _new(options: argparse.Namespace) -> int:
    from trueness.running.plans import new_file

    made = new_file(options.task, options.file, options.plan)
    if made.path.exists() or made.path.is_symlink():
        raise TruenessError(f"{made.path} is there already and was not touched. Choose another name, or move it away.")
    made.path.write_text(made.text, encoding="utf-8")
    if options.json:
        say_json({"written": str(made.path)})
    else:
        say(f"{made.path} written. {made.what_next}")
    return 0


def _allow(options: argparse.Namespace) -> None:
    from trueness import models

    models.allow(options.allow_host, options.allow_key)


def _tell_elsewhere(options_by_model: dict[str, Any]) -> None:
    """Before anybody is asked: every address and variable that is not the provider's own."""
    from trueness import models

    for line in filter(None, (models.elsewhere(name, options) for name, options in options_by_model.items())):
        say(f"trueness: {line}", stderr=True)


def _study(options: argparse.Namespace) -> Study:
    """Of `plan` and `run`. The quickstart goes without a model that is not installed."""
    from trueness.running.plans import read_plan, without_unready
    from trueness.running.study import Study

    _allow(options)
    plan = read_plan(options.file, options.folder)
    if options.file:
        return Study(plan)
    plan, lines = without_unready(plan)
    for line in lines:
        say(f"trueness: {line}", stderr=True)
    return Study(plan)


def _plan(options: argparse.Namespace) -> int:
    from trueness.running.cost import estimate
    from trueness.running.engine import executor_for
    from trueness.terminal import print_report as terminal

    study = _study(options)
    with terminal.timing(study), executor_for(options.workers, options.cluster) as (executor, slots):
        cost = estimate(study, executor, slots)
    if options.json:
        say_json(cost.to_dict())
    else:
        terminal.print_estimate(study, cost)
    return 0


def _run(options: argparse.Namespace) -> int:
    from trueness.running.engine import executor_for
    from trueness.running.stopping import heed_sigterm
    from trueness.showing.console import console
    from trueness.terminal.bars import progress_of
    from trueness.terminal.end import same_command, tell_end, write_end

    study = _study(options)
    if options.verify is not None:
        return _verify(study, options)
    _tell_elsewhere({name: options for stage in study.stages for name, options in stage.models.items()})
    heed_sigterm()
    with (
        progress_of(study, console(stderr=True), quiet=options.json) as report,
        executor_for(options.workers, options.cluster) as (executor, slots),
    ):
        outcome = study.run(executor, slots, report, retry=options.retry, replan=options.replan)
    try:
        write_end(study.plan.folder, outcome, options.json)
    finally:  # whatever the tables stumble over, why models failed is told
        tell_end(outcome, same_command(options))
    return 130 if outcome.interrupted else 1 if outcome.failed or outcome.done < outcome.total else 0


def _verify(study: Study, options: argparse.Namespace) -> int:
    from trueness.running.engine import executor_for
    from trueness.running.verify import verify
    from trueness.terminal import print_report as terminal

    with (
        terminal.busy("doing stored units again"),
        executor_for(options.workers, options.cluster) as (executor, _),
    ):
        verification = verify(study, executor, options.verify)
    if options.json:
        say_json(verification.to_dict())
    else:
        for difference in verification.differences[:20]:
            say(difference)
        say(verification.sentence())
    return 1 if verification.differences else 0


def _report(options: argparse.Namespace) -> int:
    from trueness.page.standalone import with_page
    from trueness.running.plans import newest_folder
    from trueness.running.study_db import as_written
    from trueness.running.study_folder import StudyFolder
    from trueness.studies.reporting import rewrite
    from trueness.terminal import print_report as terminal

    folder = Path(options.folder) if options.folder else newest_folder()
    with as_written(folder):
        with terminal.busy("writing tables, charts and the page"), StudyFolder.reading(folder) as study:
            written = with_page(rewrite(study))
        if options.json:
            say_json(written.to_dict())
        else:
            terminal.print_report(written)
            say(f"page: {folder / 'report.html'}")
    return 0


def _view(options: argparse.Namespace) -> int:
    from trueness.page.folders import study_folders
    from trueness.page.library import Library
    from trueness.page.server import server_for

    library = Library(study_folders(options.folders))
    studies = library.listed()
    if all(study["problem"] for study in studies):
        raise TruenessError(studies[0]["problem"])
    server = server_for(library, options.port)
    if options.json:
        say_json({"address": server.address, "studies": studies})
    else:
        if options.port and server.server_port != options.port:
            say(f"Port {options.port} is in use; this is the next one that is free.")
        say(f"{server.address}  ({len(studies)} {'study' if len(studies) == 1 else 'studies'}; Ctrl-C stops it)")
    sys.stdout.flush()
    server.serve_until_stopped(browse=not options.no_browser)
    say()
    return 0


def _show(options: argparse.Namespace) -> int:
    from trueness.outside import is_there
    from trueness.running.plans import newest_folder
    from trueness.running.study_db import NAME, as_written
    from trueness.running.study_folder import StudyFolder
    from trueness.studies.reporting import readings_of

    folder = Path(options.folder) if options.folder else newest_folder()
    foreign = None if is_there(folder / NAME) else registry.offer("show", ".json")(folder)
    if foreign is not None:
        return _show_readings({"": foreign}, folder, options)
    with as_written(folder), StudyFolder.reading(folder) as study:
        return _show_readings(readings_of(study), folder, options)


def _show_readings(readings: Mapping[str, Any], folder: Path, options: argparse.Namespace) -> int:
    from trueness.showing.console import console, save_recorded

    first, measures = next(iter(readings.values())), options.measure
    if options.json:
        say_json(first.as_json(measures))
    elif options.csv:
        say(first.as_csv(measures), end="")
    elif options.tex or options.md:
        _print_tables([table for reading in readings.values() for table in reading.tables(measures)], options)
    elif options.svg:
        save_recorded(lambda out: first.show(out, folder, measures), folder, Path(options.svg))
    else:
        for reading in readings.values():
            reading.show(console(), folder, measures)
    return 0


def _print_tables(tables: Sequence[Any], options: argparse.Namespace) -> None:
    """In the form that was asked for: --csv, --tex or --md."""
    texts = [t.to_csv() if options.csv else t.to_latex() if options.tex else t.to_markdown() for t in tables]
    say("\n".join(texts), end="")


_SETTINGS = (
    "condition", "baseline", "treatment", "score", "lower_is_better", "measure", "unit", "cluster", "exclude",
    "strip_prefix", "one_sided", "adjust", "unscored", "families", "interval", "gate",
)  # fmt: skip


def _analyse(options: argparse.Namespace) -> int:
    from trueness.analyse import Settings, analyse, read_tables

    toml = [file for file in options.files if file.endswith(".toml")]
    files = [file for file in options.files if file not in toml]
    settings = Settings.read(Path(toml[0])) if toml else Settings()
    declared = {name: getattr(options, name) for name in _SETTINGS} | {"files": files or None}
    settings = settings.updated(declared)
    return _show_analysis(analyse(read_tables(settings.files), settings), options)


def _show_analysis(analysis: Analysis, options: argparse.Namespace) -> int:
    """Of `analyse`, and of `compare` with two files."""
    from trueness.analyse import documents
    from trueness.terminal import analyse as terminal_analyse

    if options.json:
        say_json(documents.as_dict(analysis))
    elif options.csv:
        say(documents.as_csv(analysis), end="")
    elif options.tex:
        say(documents.as_tex(analysis), end="")
    elif options.md:
        say(terminal_analyse.as_markdown(analysis), end="")
    elif getattr(options, "html", False):
        from trueness.page.analysis_page import as_html

        say(as_html(analysis), end="")
    else:
        terminal_analyse.print_analysis(analysis, details=getattr(options, "details", False))
    if getattr(options, "out", None):
        written = terminal_analyse.write_folder(analysis, Path(options.out))
        say(f"{len(written)} files written to {options.out}", stderr=True)
    return terminal_analyse.tell_gate(analysis)


def _evaluate(options: argparse.Namespace) -> int:
    from trueness.terminal.print_report import busy

    with busy("scoring matrices, running baselines"):
        evaluation = registry.offer("evaluate", "matrices")(vars(options))
    _shown(evaluation, options)
    if options.out:
        written = evaluation.write(Path(options.out))
        say(f"{len(written)} files written to {options.out}", stderr=True)
    return 0


def _of_study(options: argparse.Namespace) -> int:
    return _shown(registry.offer(options.command, options.what)(options.file), options)


def _judge(options: argparse.Namespace) -> int:
    from trueness.analyse import judge_verdicts

    return _shown(judge_verdicts.judge_file(Path(options.file), options.half_width), options)


def _shown(found: Any, options: argparse.Namespace) -> int:
    from trueness.showing.console import console

    say_json(found.to_dict()) if options.json else found.show(console())
    return 0


def _compare(options: argparse.Namespace) -> int:
    from trueness.analyse.comparing import compare, compare_files
    from trueness.running.plans import newest_folder
    from trueness.running.study_db import as_written
    from trueness.terminal import analyse as terminal_analyse

    if not options.folder and Path(options.a).is_file() and Path(options.b).is_file():
        return _show_analysis(compare_files(Path(options.a), Path(options.b), options.measure, options.gate), options)
    folder = Path(options.folder) if options.folder else newest_folder()
    with as_written(folder):
        comparison = compare(folder, options.a, options.b, options.measure)
    if options.json:
        say_json(comparison.row() | {"sentence": comparison.sentence()})
    elif options.csv or options.tex or options.md:
        from trueness.showing.comparison_table import comparison_table

        _print_tables([comparison_table(comparison)], options)
    else:
        terminal_analyse.print_comparison(comparison)
    return terminal_analyse.tell_gate_of(comparison, options.gate)


def _list(options: argparse.Namespace) -> int:
    from trueness.showing.console import print_card, print_rows
    from trueness.terminal import catalogue

    if options.kind not in catalogue.KINDS:
        advice = did_you_mean(options.kind, catalogue.KINDS) or f"It can be: {', '.join(catalogue.KINDS)}."
        raise TruenessError(f"{options.kind!r} cannot be listed. {advice}")
    content = catalogue.detail(options.kind, options.name) if options.name else catalogue.rows(options.kind)
    if options.json:
        say_json(content)
    elif isinstance(content, dict):
        print_card(content)
    else:
        print_rows(content, title=options.kind)
    return 0


def _read(options: argparse.Namespace) -> int:
    from trueness.reading.logs import readings_of

    failed = False
    for reading in readings_of(options.file, options.nodes):
        failed = failed or "error" in reading
        say_json(reading, indent=None)
    return 1 if failed else 0


def _check(options: argparse.Namespace) -> int:
    from trueness.showing.console import print_rows
    from trueness.terminal import catalogue

    if catalogue.is_model(options.name):
        return _check_model(options)
    columns, rows = catalogue.columns(options.name), catalogue.check(options.name)
    if options.json:
        say_json([*columns, *rows])
    else:
        for part in filter(None, (columns, rows)):
            print_rows(part, title=options.name)
    return 1 if any(row["verdict"] == "FAIL" for row in rows) else 0


def _check_model(options: argparse.Namespace) -> int:
    from trueness.showing.console import print_card

    _allow(options)
    _tell_elsewhere({options.name: {}})
    card = registry.offer("check", "model")(options.name, options.edge_cases)
    say_json(card) if options.json else print_card(card)
    return 0 if card["status"] == "ok" else 1


def _schema(options: argparse.Namespace) -> int:
    from trueness.running.json_schemas import schema, schemas
    from trueness.showing.console import print_rows

    rows = [{"name": s.name, "version": s.version, "of": s.of or s.file} for s in schemas().values()]
    content = schema(options.name).to_dict() if options.name else rows
    say_json(content) if options.name or options.json else print_rows(rows, title="schemas")
    return 0


def _mcp(options: argparse.Namespace) -> int:
    from trueness.terminal.mcp_server import serve

    serve()
    return 0


_COMMANDS = {
    command.__name__.removeprefix("_"): command
    for command in (
        _new, _plan, _run, _show, _analyse, _evaluate, _compare, _report, _view,
        _read, _list, _check, _schema, _judge, _mcp,
    )
}  # fmt: skip
