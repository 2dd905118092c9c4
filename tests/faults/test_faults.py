"""Kills, full disks, lost clusters, once each: the same bytes. `make soak` strikes with all for half an hour."""

import random
import sys

import pytest

import tests.faults.workers  # noqa: F401  registers its scenarios
from tests.faults.scenarios import NEEDS_MOUNT, SCENARIOS, may_mount

SHORT = (
    "driver killed: discovery",
    "driver killed: forecast",
    "driver killed: faithfulness",
    "worker killed",
    "disk full",
    "clock jumps a day",
    "replies fail: 50 %",
    "Dask worker lost",
    "Dask scheduler lost",
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="signals, mounts and locks as Linux has them")
@pytest.mark.parametrize("name", SHORT)
def test_nothing_is_lost_counted_twice_or_changed(name, tmp_path):
    if name in NEEDS_MOUNT and not may_mount():
        pytest.skip("a small disk needs the right to mount")
    tally = SCENARIOS[name](tmp_path / "study", random.Random(5), 1)
    assert tally.injected >= 1
    assert tally.clean, tally
