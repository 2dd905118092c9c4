"""Each compiled pattern of the package needs linear time: 500 characters of each of 120 units are searched at once.

A pattern that backtracks takes the square of the length (milliseconds), or doubles with each few characters (hours).
"""

import importlib
import pkgutil
import re
import signal
import time

import pytest

import trueness
from trueness.patterns import late

LENGTH, MOST_SECONDS = 500, 0.02
LETTERS = "aA10.,;:-+*/^=()[]{}|_'\"`#%$€°\\~!?<>@& \t\né½²π√×·−–“’→"
PAIRS = "a |1 |1.|1,|1, |a,|a, |a1|a_|a-|1-|1 - |- |* |**|##|--|==|->|(a|a(|a)|[a]|{a}|\\a|\\{|$1|1%|1 %|⁻¹|__|\r\n"
WORDS = (
    "1 to |and |or |the |of |is |not |a = |a=1|a: |1e5|m/s|x^2|sin |x*y|half of |a of |in a |by a |if |(1)|a. |the a "
)
MORE = "1;|1)|95 % |no |$ |(a) |a'|a\"|a/|a\\"
UNITS = [*LETTERS, *PAIRS.split("|"), *WORDS.split("|"), *MORE.split("|"), '"a": 1,', "<p>", "| a "]


def patterns():
    """name -> pattern, of all modules: by themselves, and in the tuples and mappings of a module."""
    found = {}
    for module in pkgutil.walk_packages(trueness.__path__, "trueness."):
        if module.name.endswith("__main__"):
            continue
        waiting = list(vars(importlib.import_module(module.name)).items())
        for name, value in waiting:  # grows while it is walked
            if isinstance(value, re.Pattern | type(late("x"))) and isinstance(value.pattern, str):
                found.setdefault(value.pattern, (f"{module.name}.{name}", value))
            elif isinstance(value, tuple | list | dict) and not name.startswith("__") and len(value) < 200:
                inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value
                waiting += [
                    (name, one) for one in inner if isinstance(one, re.Pattern | type(late("x")) | tuple | dict)
                ]
    return list(found.values())


def seconds(pattern, text):
    """The quickest of some searches, so that what else runs here does not count; cut off where it does not end."""
    taken = []
    while len(taken) < 4 and (not taken or taken[-1] > MOST_SECONDS / 4):
        began = time.perf_counter()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
        try:
            pattern.search(text)
        except TimeoutError:
            return 0.2
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        taken.append(time.perf_counter() - began)
    return min(taken)


def stop(*_):
    raise TimeoutError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a timer of the process is needed")
def test_each_pattern_of_the_package_needs_linear_time():
    before = signal.signal(signal.SIGVTALRM, stop)
    texts = [(unit * LENGTH)[:LENGTH] + "\x00" for unit in UNITS]
    try:
        slow = {
            name: text[:9] for name, pattern in patterns() for text in texts if seconds(pattern, text) > MOST_SECONDS
        }
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert len(UNITS) >= 120 and slow == {}
