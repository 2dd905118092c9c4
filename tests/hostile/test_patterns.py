"""Each compiled pattern of the package needs linear time: 500 characters of each of 120 units are searched at once.

A pattern that backtracks takes the square of the length (milliseconds), or doubles with each few characters (hours).
"""

import importlib
import inspect
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


def method_of(pattern, name, module):
    """As the module uses it: from each place of a text, or from the first one alone."""
    source = inspect.getsource(module)
    anywhere = re.search(rf"\b{name}\.(?:search|sub|subn|finditer|findall|split)\b", source)
    return pattern.match if not anywhere and re.search(rf"\b{name}\.(?:full)?match\b", source) else pattern.search


def patterns():
    """Name and search of each pattern: of modules, and in their tuples and mappings."""
    named = {}
    for module in pkgutil.walk_packages(trueness.__path__, "trueness."):
        if module.name.endswith("__main__"):
            continue
        read = importlib.import_module(module.name)
        waiting = list(vars(read).items())
        for name, value in waiting:  # grows while it is walked
            if isinstance(value, re.Pattern | type(late("x"))) and isinstance(value.pattern, str):
                named.setdefault(value.pattern, (f"{module.name}.{name}", method_of(value, name, read)))
            elif isinstance(value, tuple | list | dict) and not name.startswith("__") and len(value) < 200:
                inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value
                waiting += [
                    (name, one) for one in inner if isinstance(one, re.Pattern | type(late("x")) | tuple | dict)
                ]
    return list(named.values())


def seconds(search, text):
    """The quickest of some searches, so that what else runs here does not count; cut off where it does not end."""
    taken = []
    while len(taken) < 4 and (not taken or taken[-1] > MOST_SECONDS / 4):
        began = time.perf_counter()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
        try:
            search(text)
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
        slow = {name: text[:9] for name, search in patterns() for text in texts if seconds(search, text) > MOST_SECONDS}
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert len(UNITS) >= 120 and slow == {}
