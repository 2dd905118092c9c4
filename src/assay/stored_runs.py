"""The runs of one task, read from the store when they are asked for: a cell at a time, never a million at once.

The file is opened anew each time, so that results outlive the store they came from. Only units that were there in the
beginning are seen, although a driver may add others meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.store import Run, Store


class StoredRuns(Mapping[str, Run]):
    """key -> Run. `of(keys)` reads many together."""

    def __init__(self, store: Store, task: str) -> None:
        self._folder, self._task, self._last = store.folder, task, store.last_id()

    def of(self, keys: Sequence[str]) -> list[Run | None]:
        """The run of each key, None where there is none."""
        with Store.rereading(self._folder) as store:
            found = {run.key: run for run in store.runs_of(keys, self._last)}
        return [found.get(key) for key in keys]

    def count_statuses(self, keys: Sequence[str]) -> dict[str, int]:
        """status -> how many of these runs ended so, of those that are there."""
        with Store.rereading(self._folder) as store:
            return store.count_statuses(keys, self._last)

    def __getitem__(self, key: str) -> Run:
        (found,) = self.of([key])
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        with Store.rereading(self._folder) as store:
            return iter(store.statuses(self._task, self._last))

    def __len__(self) -> int:
        return sum(1 for _ in self)
