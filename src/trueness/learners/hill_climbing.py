"""Hill climbing: a DAG to which no single added, deleted or reversed edge gives a better score.

    from the empty DAG: the move with the greatest gain, while one gains
    tabu > 0            go on with the best move not leading back to the last `tabu` DAGs, also where it loses
    restarts > 0        perturb the best DAG by random moves and climb again; the best of all is kept

`weights[i, j] != 0 means i -> j`. DAGs of one Markov class have equal scores, so the direction of an edge that the
class leaves open is arbitrary: it follows from the content of the columns, never from their order (see
`scores.content_order`), and `stability` shows it as open. Use `.to_cpdag()` for what the score can tell.
Heckerman, Geiger & Chickering (1995); tabu: Glover (1989), as in bnlearn (Scutari 2010).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.learners.base import Card
from trueness.learners.ges import GES
from trueness.learners.kernels import hill_climbing as kernel
from trueness.learners.kernels import scores as kernel_scores
from trueness.learners.scores import ScoreSettings, content_order, gaps_note
from trueness.settings import Between, Whole

Count = Annotated[int, Between(0, closed=True)]


class Move(NamedTuple):
    """A move that was made; the gain may be negative in tabu search."""

    move: Literal["add", "delete", "reverse"]
    source: str
    target: str
    gain: float


@dataclass(frozen=True)
class HillClimbingResult:
    """The DAG, its score, the score of the empty DAG, the scores of all climbs, and the moves of the best climb."""

    graph: Graph
    score: float
    start_score: float
    climbs: tuple[float, ...]
    moves: tuple[Move, ...]
    note: str = ""  # what the score rests on where values are missing


@dataclass(frozen=True)
class HillClimbing(ScoreSettings[HillClimbingResult]):
    """Greedy search over DAGs, with tabu list and random restarts where asked for. Returns a DAG."""

    tabu: Count = 0  # how many of the last DAGs must not be visited again; 0 stops at the first local optimum
    patience: Count = 15  # moves without a new best that a tabu search makes
    restarts: Count = 0
    perturbation: Whole = 10  # random moves before each restart

    card: ClassVar[Card] = replace(
        GES.card,
        title="Hill climbing",
        summary="Adds, deletes and reverses edges of a DAG while the score (BIC or BDeu) rises.",
        returns="dag",
        paper="Heckerman, Geiger & Chickering 1995",
        recovers="adjacencies",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.restarts:  # the generator then has a say
            object.__setattr__(self, "card", replace(self.card, deterministic=False))

    def _details(self, table: Table, rng: Generator | None) -> HillClimbingResult:
        """The DAG with its score and the moves that led to it."""
        if self.restarts and rng is None:
            raise SettingError("'restarts' of hill-climbing needs a random generator. Pass rng to fit.")
        names, table = table.names, table.columns(content_order(table.values).tolist())
        scorer = self.scorer(table)
        dag = np.zeros((table.d, table.d), dtype=np.uint8)
        start = float(kernel_scores.total_score(scorer, dag))
        steps = self._climb(scorer, dag)
        best = float(kernel_scores.total_score(scorer, dag))
        climbs = [best]
        for _ in range(self.restarts):
            assert rng is not None
            tried = dag.copy()
            _perturb(tried, self.perturbation, scorer.limit, rng)
            tried_steps = self._climb(scorer, tried)
            climbs.append(float(kernel_scores.total_score(scorer, tried)))
            if climbs[-1] > best + kernel.NO_GAIN:
                dag, best, steps = tried, climbs[-1], tried_steps
        graph = Graph.from_matrix(dag, table.names, direction="row to column").reorder(names)
        words: tuple[Literal["add", "delete", "reverse"], ...] = ("add", "delete", "reverse")
        moves = tuple(Move(words[int(m)], table.names[int(i)], table.names[int(j)], g) for m, i, j, g in steps.tolist())
        return HillClimbingResult(graph, best, start, tuple(climbs), moves, gaps_note(table))

    def _climb(self, scorer: kernel_scores.Scorer, dag: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Improve the DAG in place; the moves up to the best one."""
        d = len(dag)
        steps = np.empty((10 * d * d + 100, 4))  # far more than a climb takes; a tabu search may not end before
        return steps[: kernel.climb(scorer, dag, self.patience, kernel.room_for(d, self.tabu), steps)]


def _perturb(dag: NDArray[np.uint8], moves: int, limit: int, rng: Generator) -> None:
    """Random additions, deletions and reversals that leave a DAG, in place."""
    d = len(dag)
    room = kernel.room_for(d, 0)
    for _ in range(moves):
        i, j = rng.choice(d, size=2, replace=False) if d > 1 else (0, 0)
        kernel.reachable(dag, room.reach, room.lists)
        if dag[i, j]:
            dag[i, j] = 0
            kernel.reachable(dag, room.reach, room.lists)
            if rng.random() < 0.5 and not room.reach[i, j] and dag[:, i].sum() < limit:
                dag[j, i] = 1
        elif i != j and not room.reach[j, i] and dag[:, j].sum() < limit:
            dag[i, j] = 1


LEARNERS = {"hill-climbing": HillClimbing}
