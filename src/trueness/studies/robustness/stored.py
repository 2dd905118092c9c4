"""Matrices and corrupted data that others stored, by folder: `trueness evaluate ARTIFACTS --data DATA`.

    ARTIFACTS/{corruption}/{method}.npy|csv    scores [i, j] of i -> j; A_best is RC-GNN's, as the original names it
    ARTIFACTS/{method}/{corruption}.npy|csv    the same, where the files have the names of corruptions
    ARTIFACTS/{corruption}.npy|csv             one method, by the name of the folder
    DATA/{corruption}/X.npy|csv                rows (n, d) or windows (N, T, d) end to end; M.npy: 1 where observed
    A_true.npy|csv                             in either, or in a folder of a corruption; or named with --truth

What all folders' names begin with (`unified_v8_`) is no part of a corruption's name. Baselines are run on the data; one
that cannot run is said and left out. A matrix of others may have seen the truth: nothing here can tell.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import cast

import numpy as np

from trueness import registry
from trueness.datasets.corruptions import PRESETS
from trueness.datasets.observed import Observed
from trueness.errors import DataError, SettingError, TruenessError, did_you_mean, listed
from trueness.files import write_atomically, write_bytes_atomically
from trueness.graphs import Direction, Graph
from trueness.learners.scoring.edge_scores import build_scorer
from trueness.outside import MEGABYTE, one_line, open_file, text_of
from trueness.running.cells import stream
from trueness.showing.console import Console, plain, print_table
from trueness.showing.saving import safe_name, save_figure
from trueness.status import Status
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import calibration_lines, sparse_answers, sparse_lines
from trueness.studies.robustness.charts import figures
from trueness.studies.robustness.choose_k import ORACLE, Metric
from trueness.studies.robustness.plan import EXPECTED
from trueness.studies.robustness.reading import report, texts
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer, System, Variant
from trueness.studies.robustness.sensitivity import Array, k_at_threshold
from trueness.studies.robustness.tables import main_table, ranking_table, tables_at_k

BASELINES = ("correlation", "notears-lite", "notears", "granger", "pcmci+", "pc", "dag-gnn")  # the document's
VALIDATION, METHOD, THRESHOLD = "compound_full", "RC-GNN", 0.1
MOST, MOST_TEXT = 256 * MEGABYTE, 32 * MEGABYTE  # a number of a text takes ten times its bytes while it is read
_ENDS = (".npy", ".csv")
_NO_SCORES = ("A_true", "X", "X_train", "M", "S", "e")
_NAMES = {"best": METHOD, "": METHOD}


@dataclass(frozen=True)
class Request:
    """What the command was asked for."""

    artifacts: Path
    data: Path | None = None
    truth: Path | None = None
    validation: str = ""
    metric: Metric = "f1"
    scorers: tuple[str, ...] | None = None  # None: those of BASELINES that are installed
    lags: int = 2
    direction: Direction = "row to column"
    expected: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StoredEvaluation:
    """The study that the folders make, and where its files go."""

    study: RobustnessStudy
    stored: frozenset[tuple[str, str]]  # corruption and method of each matrix of the folders; others were fitted here

    @property
    def evaluation(self) -> RobustnessScores:
        return self.study.evaluation

    def to_dict(self) -> dict[str, object]:
        return report(self.study)

    def show(self, out: Console) -> None:
        evaluation, wide = self.evaluation, not out.is_terminal
        (dataset,) = evaluation.systems
        out.print(f"[bold]as stored[/], scores above {THRESHOLD:g}")
        for line in self._at_threshold():
            out.print(f"   {plain(line)}", soft_wrap=wide)
        agreed = (*self.study.findings["invariance"], *self.study.findings["expected edges"])
        for line in (*calibration_lines(evaluation, dataset), *sparse_lines(evaluation), *agreed):
            out.print(plain(line), soft_wrap=wide)
        print_table(out, "SHD and F1 at one K, methods x corruptions", main_table(evaluation), place="--json, --out")
        for line in (*self.study.notes, *self.study.failures()):
            out.print(f"  {plain(line)}", style="dim", soft_wrap=wide)

    def _at_threshold(self) -> Iterator[str]:
        """Of what somebody stored: the threshold is the document's for RC-GNN, and others have other scales."""
        for answer in self.evaluation.answers:
            if answer.matrix is not None and (answer.corruption, answer.scorer) in self.stored:
                k = k_at_threshold(answer.matrix, THRESHOLD)
                where = f"{answer.corruption}, {answer.scorer}"
                if not k:
                    yield f"{where}: no score above it"
                    continue
                at = self.evaluation.curves[answer.dataset, answer.corruption, answer.scorer, 0].at(k)
                yield (
                    f"{where}: {k} edges | SHD={at['shd_reversals_twice']:g} | Skel-F1={at['skeleton_f1']:.3f} | "
                    f"Dir-F1={at['f1']:.3f}"
                )

    def write(self, folder: Path) -> list[Path]:
        """evaluation_report.json, tables, pictures, and A_sparse of every matrix; what was written."""
        by_file = texts(self.study)
        for table in (ranking_table(self.study), *tables_at_k(self.study)):
            name = table.name.removeprefix("robustness_")
            by_file |= {f"{name}.csv": table.to_csv(), f"{name}.tex": table.to_latex()}
        written = [write_atomically(folder, name, text) for name, text in by_file.items()]
        for figure in figures(self.evaluation):
            written += save_figure(figure, folder, "")
        for answer, _, sparse in sparse_answers(self.evaluation):
            file = io.BytesIO()
            np.save(file, sparse, allow_pickle=False)
            name = f"A_sparse_{safe_name(answer.corruption, answer.scorer)}.npy"
            written.append(write_bytes_atomically(folder, name, file.getvalue()))
        return written


def evaluate_folders(options: Mapping[str, object]) -> StoredEvaluation:
    """From the options of the command line."""

    def path(name: str) -> Path | None:
        return Path(str(options[name])) if options.get(name) else None

    named = options.get("scorers")
    scorers = None if named is None else tuple(filter(None, (word.strip() for word in str(named).split(","))))
    return evaluate(
        Request(
            Path(str(options["artifacts"])), path("data"), path("truth"), str(options.get("validation") or ""),
            "shd" if options.get("metric") == "shd" else "f1", () if scorers == ("none",) else scorers,
            int(str(options.get("lags", 2))), "column to row" if options.get("column_to_row") else "row to column",
            {name: [str(edge) for edge in cast(list[str], options.get(name) or ())] for name in EXPECTED},
        )
    )  # fmt: skip


def evaluate(request: Request) -> StoredEvaluation:
    """Read the folders, run the baselines on the data, score all of it against the truth."""
    matrices: dict[tuple[str, str], Path] = {}
    for key, path in _matrices(request.artifacts):
        if (other := matrices.setdefault(key, path)) != path:
            raise DataError(f"{' of '.join(key[::-1])} must be one file, got {other.name} and {path.name}. Keep one.")
    if not matrices:
        raise DataError(f"{request.artifacts} must hold matrices (.npy, .csv) by corruption, got none.")
    tables, notes = _tables(request, dict.fromkeys(corruption for corruption, _ in matrices))
    truth = _truth(request, next(iter(matrices.values())))
    _check_expected(request.expected, truth)
    stored = [_answer(corruption, method, path, truth, request) for (corruption, method), path in matrices.items()]
    fitted, left_out = _baselines(request, tables, truth, matrices)
    answers = (*stored, *fitted)
    corruptions = dict.fromkeys(answer.corruption for answer in answers)
    validation = request.validation or (VALIDATION if VALIDATION in corruptions else next(iter(corruptions)))
    if validation not in corruptions:
        hint = did_you_mean(validation, corruptions) or f"There are {listed(corruptions)}."
        raise SettingError(f"'--validation' must be one of the corruptions, got {validation!r}. {hint}")
    scorers = tuple(dict.fromkeys(answer.scorer for answer in answers))
    system = System(truth, "assumed", request.lags > 0, max((table.n for table in tables.values()), default=0))
    variants = {name: _variant(name) for name in corruptions}
    evaluation = RobustnessScores(
        {"stored": system}, variants, scorers, answers, validation, scorers[0], metric=request.metric,
        k_range="original",
    )  # fmt: skip
    order = sorted(scorers, key=lambda name: name != METHOD)  # the document's first, then as the folders have them
    have_k = [name for name in order if ORACLE in evaluation.by_truths.get(("stored", name), {})]
    evaluation = replace(evaluation, match=(have_k or order)[0])
    ran = dict.fromkeys(answer.scorer for answer in fitted if answer.matrix is not None)
    sentences = [
        f"[i, j] of every matrix was read as {'i -> j' if request.direction == 'row to column' else 'j -> i'}."
    ]
    if have_k:
        sentences += [
            f"K is chosen with {have_k[0]}: {METHOD} where its scores rank, else the first method whose scores do.",
            f"{have_k[0]}'s K saw the truth (oracle), and its matrices may have: no leak can be seen in a matrix.",
        ]
    sentences += [f"Fitted here on the data: {listed(list(ran), 12)}."] if ran else []
    if not any(request.expected.values()):
        sentences.append("No --required or --forbidden edges: no domain validation.")
    by_method = {method for _, method in matrices}
    study = RobustnessStudy(
        study=request.artifacts.name,
        seed=0,
        evaluation=evaluation,
        scorers={name: {"title": name, "settings": {}, "stored": name in by_method} for name in scorers},
        notes=(*sentences, *notes, *left_out),
        budget={"methods": [], "k_seeds": 0, "subsamples": 0},
        expected=request.expected,
        planned=len(answers),
    )
    return StoredEvaluation(study, frozenset(matrices))


def _check_expected(expected: Mapping[str, Sequence[str]], truth: Graph) -> None:
    for kind, edges in expected.items():
        for edge in edges:
            ends = edge.split(" -> ")
            strange = [node for node in ends if node not in truth.nodes]
            if len(ends) != 2 or strange:
                near = did_you_mean(strange[0], truth.nodes) if strange else ""
                raise SettingError(
                    f"'--{kind}' must be an edge between nodes of the truth, such as "
                    f"'{truth.nodes[0]} -> {truth.nodes[-1]}', got {edge!r}. {near or f'It has {listed(truth.nodes)}.'}"
                )


# ---- folders


def _matrices(folder: Path) -> Iterator[tuple[tuple[str, str], Path]]:
    """(corruption, method) -> the file of its scores."""
    if not folder.is_dir():
        raise DataError(f"{folder} must be a folder of matrices, got none there.")
    folders = [folder, *sorted(path for path in folder.iterdir() if path.is_dir() and any(_files(path)))]
    start = _common_start([path.name for path in folders[1:]])
    for inner in folders:
        name = folder.resolve().name if inner == folder else inner.name.removeprefix(start)
        paths = list(_files(inner))
        known = [_stem(path) in PRESETS for path in paths]
        if inner == folder and paths and not any(known):
            raise DataError(
                f"{paths[0]} must lie in a folder of its corruption, or have the name of one: mcar_40/{paths[0].name}"
            )
        turned = inner == folder or (name not in PRESETS and all(known))
        for path in paths:
            stem = _stem(path)
            yield ((stem, name) if turned else (name, _NAMES.get(stem, stem))), path


def _files(folder: Path) -> Iterator[Path]:
    """Matrices of scores: no truth, no rows."""
    for path in sorted(folder.iterdir()):
        name = path.name.removesuffix(path.suffix)
        if path.suffix in _ENDS and name.strip(".") and name not in _NO_SCORES and not name.startswith("A_sparse"):
            if path.is_file():
                yield path


def _stem(path: Path) -> str:
    name = path.name.removesuffix(path.suffix)
    return "" if name == "A" else name.removeprefix("A_")


def _common_start(names: Sequence[str]) -> str:
    """`unified_v8_` of unified_v8_extreme and unified_v8_mcar_40; nothing where a name would be cut within a word."""
    whole = os.path.commonprefix(list(names)) if len(names) > 1 else ""
    start = whole[: whole.rfind("_") + 1]
    return "" if any(name in PRESETS for name in names) else start


def _variant(name: str) -> Variant:
    known = PRESETS.get(name)
    card = known.card if known is not None else None
    return Variant(card.uses_graph, card.labels, card.steps) if card else Variant(False)


# ---- files


def _array(path: Path) -> tuple[Array, tuple[str, ...] | None]:
    """Numbers of a .npy or .csv, and the names of its columns where it has them."""
    if path.suffix == ".csv":
        return _of_csv(path)
    try:
        with open_file(path, MOST) as file:
            array = np.load(file, allow_pickle=False)
    except TruenessError:
        raise
    except Exception as error:  # numpy says many things of a file that is none of its own
        raise DataError(f"{path} must be an array of numbers as numpy saves it, got: {one_line(error)}") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        raise DataError(f"{path} must be an array of real numbers, got {getattr(array, 'dtype', 'an archive')}.")
    if array.size * 8 > MOST:
        raise DataError(f"{path} must hold at most {MOST // 8:,} numbers, got {array.size:,}. Give a part of it.")
    return np.asarray(array, dtype=np.float64), None


def _of_csv(path: Path) -> tuple[Array, tuple[str, ...] | None]:
    try:
        rows = [row for row in csv.reader(text_of(path, MOST_TEXT).splitlines()) if row]
    except csv.Error as error:
        raise DataError(f"{path} must be a table of numbers, got: {one_line(error)}") from None
    if not rows:
        raise DataError(f"{path} must hold numbers, got an empty file.")
    header = None if all(map(_is_number, rows[0])) else rows.pop(0)
    labelled = bool(rows) and not any(_is_number(row[0]) for row in rows)  # row names before the numbers
    body = [row[1:] if labelled else row for row in rows]
    names = tuple(header[1:] if header and labelled else header or ()) or None
    if len({len(row) for row in body}) > 1 or (names and body and len(names) != len(body[0])):
        raise DataError(f"{path} must have as many fields in every line, got others.")
    try:
        return np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in body]), names
    except ValueError as error:
        raise DataError(f"{path} must hold numbers, got: {one_line(error)}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _truth(request: Request, first: Path) -> Graph:
    """A_true in a folder, or in one below it."""
    patterns = ("A_true.*", "*/A_true.*", "*/*/A_true.*")
    places = [(folder, pattern) for folder in (request.artifacts, request.data) if folder for pattern in patterns]
    beside = (path for folder, pattern in places for path in sorted(folder.glob(pattern)))
    path = request.truth or next((path for path in beside if path.suffix in _ENDS and path.is_file()), None)
    if path is None:
        raise DataError(
            f"A_true.npy or A_true.csv must lie in {request.artifacts} or below the data. Name it: --truth FILE"
        )
    matrix, names = _array(path)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{path} must be a square matrix of edges, got shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        raise DataError(f"{path} must say of every pair whether there is an edge, got nan or inf.")
    nodes = names or _array(first)[1] or tuple(f"X{k}" for k in range(len(matrix)))
    np.fill_diagonal(matrix, 0.0)
    return Graph.from_matrix(np.abs(matrix) > THRESHOLD, nodes, request.direction)


def _answer(corruption: str, method: str, path: Path, truth: Graph, request: Request) -> ScorerAnswer:
    try:
        matrix, names = _array(path)
        if matrix.shape != (len(truth),) * 2:
            raise DataError(f"{path.name} must be {len(truth)} x {len(truth)} as the truth, got {matrix.shape}.")
        if names is not None and set(names) != set(truth.nodes) and not set(names).isdisjoint(truth.nodes):
            raise DataError(f"{path.name} must name the nodes of the truth, got {listed(names, 4)}.")
        if not np.isfinite(matrix).all():
            raise DataError(f"{path.name} must hold finite scores, got nan or inf.")
    except DataError as error:
        return ScorerAnswer("stored", corruption, method, 0, Status.UNREADABLE, message=str(error))
    matrix = matrix if request.direction == "row to column" else matrix.T
    return ScorerAnswer("stored", corruption, method, 0, Status.OK, _as_the_truth(matrix, names, truth))


def _as_the_truth(matrix: Array, names: Sequence[str] | None, truth: Graph) -> Array:
    """In the truth's order of nodes, where the columns have its names."""
    if names is None or set(names) != set(truth.nodes):
        return np.ascontiguousarray(matrix)
    order = [names.index(node) for node in truth.nodes]
    return np.ascontiguousarray(matrix[np.ix_(order, order)])


# ---- data of others, and the baselines on it


def _tables(request: Request, corruptions: Mapping[str, None]) -> tuple[dict[str, Observed], list[str]]:
    """Corruption -> its rows, where DATA or a folder below it has them."""
    tables: dict[str, Observed] = {}
    notes = []
    if request.data is None:
        return {}, ["No --data: baselines were not run."]
    for corruption in corruptions:
        places = [request.data / corruption, *sorted(request.data.glob(f"*/{escape(corruption)}"))]
        paths = [place / f"{name}{end}" for place in places for name in ("X", "X_train") for end in _ENDS]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            notes.append(f"{corruption}: no X.npy or X.csv below {request.data}: no baseline there.")
            continue
        values, names = _array(path)
        mask = path.with_name("M.npy")
        if mask.is_file():
            seen = _array(mask)[0]
            if seen.shape != values.shape:
                raise DataError(f"{mask} must have the shape of {path.name}, {values.shape}, got {seen.shape}.")
            values = np.where(seen > 0, values, np.nan)
        if values.ndim == 3:
            notes.append(f"{corruption}: {len(values)} windows laid end to end; lags across their seams are wrong.")
            values = values.reshape(-1, values.shape[-1])
        if values.ndim != 2:
            raise DataError(f"{path} must be rows (n, d) or windows (N, T, d), got shape {values.shape}.")
        columns = names or tuple(f"X{k}" for k in range(values.shape[1]))
        tables[corruption] = Observed(columns, values, (None,) * len(columns), corruption, None, request.lags)
    return tables, notes


def _baselines(
    request: Request, tables: Mapping[str, Observed], truth: Graph, stored: Collection[tuple[str, str]]
) -> tuple[list[ScorerAnswer], list[str]]:
    """Fitted here, where nobody stored a matrix of that name."""
    answers, left_out = [], []
    for name in (request.scorers if request.scorers is not None else BASELINES) if tables else ():
        scorer = build_scorer(name)
        needs = scorer.card.needs
        if needs and not registry.is_installed(needs):
            left_out.append(f"{registry.missing(needs, f'scorer {name!r}')}  It was left out; the rest goes on.")
            continue
        for corruption, table in tables.items():
            if (corruption, name) in stored:
                continue
            try:
                if table.d != len(truth):
                    raise DataError(f"the rows must have the {len(truth)} columns of the truth, got {table.d}.")
                matrix = scorer.scores(table, stream(0, f"{name} {corruption}")).matrix
            except Exception as error:  # what it cannot do with these rows is its result
                answers.append(ScorerAnswer("stored", corruption, name, 0, Status.FAILED, message=one_line(error)))
            else:
                matrix = _as_the_truth(matrix, table.names, truth)
                answers.append(ScorerAnswer("stored", corruption, name, 0, Status.OK, matrix))
    return answers, left_out
