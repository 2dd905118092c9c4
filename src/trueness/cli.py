"""The command line: parse, call, print. It holds no rule of its own, and imports what it needs when it needs it.

Exit codes: 0 done; 1 runs failed or are left to do, or a check of `check`, `run --verify`, `--gate` or `read` failed
(the checks in a study's report change no exit code); 2 a user's mistake, or a gate that
cannot be judged; 70 a mistake of the program itself; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trueness import registry
from trueness.errors import TruenessError, did_you_mean
from trueness.printing import say, say_json
from trueness.terminal.options import command_line

if TYPE_CHECKING:
    from trueness.analyse import ScoresAnalysis
    from trueness.outside import Json
    from trueness.running.study import Study
    from trueness.showing.console import Console
    from trueness.showing.tables import Table
    from trueness.studies.protocol import FilesReading
    from trueness.studies.reading import Reading


CRASHED = 70  # EX_SOFTWARE of sysexits.h


class Showable(Protocol):
    """What a command that runs no study gives back."""

    def to_dict(self) -> dict[str, Json]: ...

    def show(self, out: Console) -> None: ...


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command_line()
    options = parser.parse_args(arguments)
    if options.command is None:
        say(parser.format_help(), end="")
        return 0
    registry.before_code(registry.refuse if options.no_code else registry.announce)
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
    except OSError as error:  # a folder that may not be written to, a full disk
        if options.debug:
            raise
        if error.filename is None:
            return _tell_crash(error)
        say(f"trueness: {error.filename} cannot be read or written: {error.strerror}. Try another folder.", stderr=True)
        return 2
    except Exception as error:
        if options.debug:
            raise
        return _tell_crash(error)
    finally:
        registry.before_code(registry.announce)  # --no-code holds for this command alone


def _tell_crash(error: Exception) -> int:
    """One line; never the exit code of a failed gate or check, which is also Python's own after a traceback."""
    from trueness.outside import one_line

    say(
        f"trueness: a mistake of this program, {type(error).__name__}: {one_line(error)}. Nothing was judged. Please "
        "report it with the lines that --debug shows.",
        stderr=True,
    )
    return CRASHED


def _new(options: argparse.Namespace) -> int:
    from trueness.running.study import new_file

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

    models.allow(options.allow_host)


def _tell_elsewhere(options_by_model: Mapping[str, Mapping[str, Json]]) -> None:
    """Before anybody is asked: every address and variable that is not the provider's own."""
    from trueness import models

    for line in filter(None, (models.elsewhere(name, options) for name, options in options_by_model.items())):
        say(f"trueness: {line}", stderr=True)


def _study(options: argparse.Namespace) -> Study:
    """Of `plan` and `run`. The quickstart goes without a model that is not installed."""
    from trueness.running.study import Study, read_plan, without_unready

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
    from trueness.terminal.print_report import same_command

    study = _study(options)
    if options.verify is not None:
        return _verify(study, options)
    _tell_elsewhere({name: options for stage in study.stages for name, options in stage.models.items()})
    return _perform(study, options, same_command(options), retry=options.retry, replan=options.replan)


def _perform(
    study: Study,
    options: argparse.Namespace,
    again: str,
    seconds: float | None = None,
    answer: bool = False,
    **how: bool,
) -> int:
    """Run a study, for so many seconds where there is an end to them, and print its end; `again` goes on with it.

    answer: it was asked a question, so what is known is said when it is interrupted, too."""
    from trueness.running.drivers import heed_sigterm
    from trueness.running.engine import executor_for
    from trueness.showing.console import console
    from trueness.terminal.bars import progress_of
    from trueness.terminal.print_report import tell_compiling, tell_end, write_end

    heed_sigterm()
    tell_compiling(study)
    with (
        progress_of(study, console(stderr=True), quiet=options.json) as report,
        executor_for(options.workers, getattr(options, "cluster", None)) as (executor, slots),
    ):
        outcome = study.run(executor, slots, report, seconds=seconds, **how)
    try:
        write_end(study.plan.folder, outcome, options.json, answer)
    finally:  # whatever the tables stumble over, why models failed is told
        tell_end(outcome, again)
    unfinished = outcome.done < outcome.total and seconds is None
    return 130 if outcome.interrupted else 1 if outcome.failed or unfinished else 0


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
    from trueness.running.study_db import as_written
    from trueness.running.study_folder import StudyFolder, newest_folder
    from trueness.studies.reporting import result_files, rewrite
    from trueness.terminal import print_report as terminal

    folder = Path(options.folder) if options.folder else newest_folder()
    if (foreign := result_files(folder)) is not None:
        return _report_foreign(foreign, folder, options)
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
    from trueness.page.library import Library, study_folders
    from trueness.page.server import server_for

    library = Library(study_folders(options.folders))
    studies = library.entries()
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
    from trueness.running.study_db import as_written
    from trueness.running.study_folder import StudyFolder, newest_folder, outdated
    from trueness.studies.reporting import by_other_defaults, plain_texts, readings_of, result_files

    folder = Path(options.folder) if options.folder else newest_folder()
    if (foreign := result_files(folder)) is not None:
        return _show_readings({"": foreign}, folder, options)
    with as_written(folder), StudyFolder.reading(folder) as study, plain_texts():
        for line in filter(None, (outdated(folder), *by_other_defaults(study))):
            say(f"trueness: {line}", stderr=True)
        return _show_readings(readings_of(study), folder, options)


def _report_foreign(reading: FilesReading, folder: Path, options: argparse.Namespace) -> int:
    """Tables and a page beside result files of others."""
    from trueness.files import write_atomically
    from trueness.page.standalone import write_files_page

    tex = "\n".join(table.to_latex() for table in reading.tables(None))
    texts = {"table.csv": reading.as_csv(None), "table.tex": tex}
    made = [write_files_page(folder, reading), *(write_atomically(folder, name, text) for name, text in texts.items())]
    written = list(map(str, made))
    say_json({"written": written}) if options.json else say("\n".join(f"written: {name}" for name in written))
    return 0


def _show_readings(readings: Mapping[str, Reading | FilesReading], folder: Path, options: argparse.Namespace) -> int:
    from trueness.showing.console import console, print_points, save_recorded
    from trueness.terminal.print_report import show_reading

    first, measures = next(iter(readings.values())), options.measure
    if options.json:
        say_json(first.as_json(measures))
    elif options.csv:
        say(first.as_csv(measures), end="")
    elif options.tex or options.md:
        _print_tables([table for reading in readings.values() for table in reading.tables(measures)], options)
    elif options.svg:
        save_recorded(lambda out: show_reading(first, out, folder, measures), folder, Path(options.svg))
    else:
        for reading in readings.values():
            show_reading(reading, console(), folder, measures)
            print_points(reading.first_findings(), console())
    return 0


def _print_tables(tables: Sequence[Table], options: argparse.Namespace) -> None:
    """In the form that was asked for: --csv, --tex or --md."""
    texts = [t.to_csv() if options.csv else t.to_latex() if options.tex else t.to_markdown() for t in tables]
    say("\n".join(texts), end="")


_SETTINGS = (
    "condition", "baseline", "treatment", "score", "lower_is_better", "measure", "unit", "cluster", "exclude",
    "strip_prefix", "one_sided", "adjust", "unscored", "families", "interval", "gate",
)  # fmt: skip


def _analyse(options: argparse.Namespace) -> int:
    from trueness.analyse import AnalysisSettings, analyse, read_tables

    toml = [file for file in options.files if file.endswith(".toml")]
    files = [file for file in options.files if file not in toml]
    settings = AnalysisSettings.read(Path(toml[0])) if toml else AnalysisSettings()
    declared = {name: getattr(options, name) for name in _SETTINGS} | {"files": files or None}
    settings = settings.with_values(declared)
    return _show_analysis(analyse(read_tables(settings.files), settings), options)


def _show_analysis(analysis: ScoresAnalysis, options: argparse.Namespace) -> int:
    """Of `analyse`, and of `compare` with two files."""
    from trueness.analyse.reading import AnalysisReading
    from trueness.terminal import analyse as terminal_analyse

    reading = AnalysisReading(analysis)
    if options.json:
        say_json(reading.as_json())
    elif options.csv:
        say(reading.as_csv(), end="")
    elif options.tex or options.md:
        _print_tables(reading.tables(), options)
        say("".join(f"\n- {line}" for line in reading.summary().sections[0].sentences) if options.md else "")
    elif getattr(options, "html", False):
        from trueness.page.standalone import analysis_html

        say(analysis_html(reading), end="")
    else:
        terminal_analyse.print_analysis(analysis)
    if getattr(options, "out", None):
        written = terminal_analyse.write_folder(analysis, Path(options.out))
        say(f"{len(written)} files written to {options.out}", stderr=True)
    return terminal_analyse.tell_gate(analysis.gate)


def _evaluate(options: argparse.Namespace) -> int:
    from trueness.terminal.print_report import busy

    with busy("scoring matrices, running baselines"):
        evaluation = registry.offer("evaluate", "matrices")(vars(options))
    _print_result(evaluation, options)
    if options.out:
        written = evaluation.write(Path(options.out))
        say(f"{len(written)} files written to {options.out}", stderr=True)
    return 0


def _of_study(options: argparse.Namespace) -> int:
    if "what" not in options:
        return _own_command(options)
    more = {name: getattr(options, name) for name in registry.study_options(options.command)}
    return _print_result(registry.offer(options.command, options.what)(options.file, **more), options)


def _own_command(options: argparse.Namespace) -> int:
    """A study's own: its options are a plan, which is run, for as long as it may take."""
    from trueness.running.study import Study

    plan, seconds = registry.offer("command", options.command)(vars(options))
    return _perform(Study(plan), options, shlex.join(["trueness", "run", str(plan.folder)]), seconds, answer=True)


def _judge(options: argparse.Namespace) -> int:
    from trueness.analyse import judge_verdicts

    return _print_result(judge_verdicts.judge_file(Path(options.file), options.half_width), options)


def _print_result(result: Showable, options: argparse.Namespace) -> int:
    from trueness.showing.console import console

    say_json(result.to_dict()) if options.json else result.show(console())
    return 0


def _compare(options: argparse.Namespace) -> int:
    from trueness.analyse.comparing import compare, compare_files, read_sides
    from trueness.analyse.gate import judge_comparison
    from trueness.running.study_db import as_written
    from trueness.running.study_folder import newest_folder
    from trueness.terminal import analyse as terminal_analyse

    sides = read_sides(options.names, options.baseline, options.gate)  # refused before anything is read
    if sides.are_files:
        return _show_analysis(compare_files(sides, options.measure, options.unscored), options)
    folder = Path(sides.folder) if sides.folder else newest_folder()
    with as_written(folder):
        comparison = compare(folder, sides.a, sides.b, options.measure)
    verdict = None if sides.gate is None else judge_comparison(sides.gate, comparison)
    if options.json:
        content = {"sentence": comparison.sentence()} | ({"gate": verdict.to_dict()} if verdict else {})
        say_json(comparison.row() | content)
    elif options.csv or options.tex or options.md:
        _print_tables([terminal_analyse.comparison_table(comparison)], options)
    else:
        terminal_analyse.print_comparison(comparison)
    return terminal_analyse.tell_gate(verdict)


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
    from trueness.reading.expected import readings_of

    failed = False
    for reading in readings_of(options.file, options.nodes):
        failed = failed or "error" in reading
        say_json(reading, indent=None)
    return 1 if failed else 0


def _check(options: argparse.Namespace) -> int:
    from trueness.datasets import settings_of_options
    from trueness.showing.console import print_rows
    from trueness.terminal import catalogue

    if catalogue.is_model(options.name):
        return _check_model(options)
    dataset = catalogue.own_table(options.name, settings_of_options(options.name, vars(options)))
    table = None if dataset is None else dataset.table
    rows = catalogue.check(options.name, dataset)
    columns, expected = ([], []) if table is None else (catalogue.columns(table), catalogue.expectations(table))
    if options.json:
        say_json([*columns, *rows, *expected])
    else:
        shown = [{key: f"{v:.2f}" if isinstance(v, float) else v for key, v in row.items()} for row in expected]
        for part in filter(None, (columns, rows, shown)):
            print_rows(part, title=options.name)
            if part is columns and table is not None and (line := catalogue.how_to_keep(table)):
                say(line)
        if any(column["kind"] == "ordered" for column in columns):
            say("Ordered columns are read as their numbers. --kinds NAME=discrete takes one as a category.")
        if expected:
            say("F1 of a single table like this one, by its looks alone (docs/atlas.md); trueness learn measures it.")
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

    serve(options.allow_code)
    return 0


_COMMANDS = {
    command.__name__.removeprefix("_"): command
    for command in (
        _new, _plan, _run, _show, _analyse, _evaluate, _compare, _report, _view,
        _read, _list, _check, _schema, _judge, _mcp,
    )
}  # fmt: skip
