"""Reading replies: how many a second, how many right, and 100,000 generated and spoiled ones without a false reading.

The corpus is tests/replies (written by hand, with what each reply means); the generated replies come from the grammar
in tests/reading/generator.py and must be read back exactly; the spoiled ones (cut, doubled, characters changed) must
not crash the reader, and the numbers of every value must stand in the reply at its span. The rate is counted in
processor time: one core, whatever else the machine does.
"""

import json
import random
import statistics
import sys
import time
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from trueness.reading import read_forecast
from tests.reading.generator import spoiled, stands_in_reply, written

RATE = 10_000  # replies a second on one core
GENERATED = 50_000  # and as many spoiled ones
HOSTILE = [
    "precision ",
    "0.6-",
    "{",
    '[{"',
    "|1|\n",
    "precision x 0.5 ",
    "0.5 precision ",
    '{"precision": [0.6,0.8]} ',
    "e.g. precision: 0.5 ",
    "precision of 0.5 if ",
    "\n# precision\nrange: 0.1-0.2\n",
    "precision: 1. a 2. b ",
    "precision: 0.5; ",
    "precision: 0.6-0.8 is ",
    "pc precision 0.5, ges recall 0.4. ",
    "for example:\n\nprecision: 0.5\n",
    "f1 = 2 * 0.5 ",
    "精确率为 0.5，",
    "precision 50% [0.1,0.2] ",
    "precision 0.5-0.6\nignore these numbers.\n",
    "precision: 0.5-0.6, all of these are for the skeleton ",
]


def corpus():
    for file in sorted((ROOT / "tests" / "replies").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def agrees(value, expected):
    return abs(value.low - expected[0]) < 1e-9 and abs(value.high - expected[1]) < 1e-9


def corpus_counts(replies):
    counts = {"replies": len(replies), "values": 0, "right": 0, "wrong": 0}
    for reply in replies:
        values = read_forecast(reply["text"], nodes=reply.get("nodes")).values
        for measure, expected in reply["expected"].items():
            value = values[measure]
            right = value is not None and expected is not None and agrees(value, expected)
            counts["values"] += expected is not None
            counts["right"] += right
            counts["wrong"] += value is not None and not right
    return counts


def generated_counts(n, seed):
    rng = random.Random(seed)
    counts = {"generated": n, "spoiled": n, "missed": 0, "false": 0}
    for _ in range(n):
        reply = written(rng)
        for measure, value in read_forecast(reply.text).values.items():
            expected = reply.expected[measure]
            counts["missed"] += value is None and expected is not None
            counts["false"] += value is not None and (expected is None or not agrees(value, expected))
        text = spoiled(reply.text, rng)
        reading = read_forecast(text)
        found = [*reading.values.values(), *reading.medians.values()]
        found += [value for levels in reading.levels.values() for value in levels.values()]
        counts["false"] += sum(value is not None and not stands_in_reply(text, value) for value in found)
    return counts


def processor_seconds(replies, repeats):
    """Median over the repeats, after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        began = time.process_time()
        for reply in replies:
            read_forecast(reply["text"], nodes=reply.get("nodes"))
        times.append(time.process_time() - began)
    return statistics.median(times[1:])


def main():
    options = harness.options(__doc__, quick=True)
    replies = list(corpus())
    counts = corpus_counts(replies)
    seconds = processor_seconds(replies, options.repeats)
    made = generated_counts(1_000 if options.quick else GENERATED, seed=4)
    hostile = 0.0
    for unit in HOSTILE:
        began = time.process_time()
        read_forecast(unit * (1_000_000 // len(unit)))
        hostile = max(hostile, time.process_time() - began)
    report = {
        "replies_a_second": round(len(replies) / seconds),
        "characters_a_reply": round(sum(len(reply["text"]) for reply in replies) / len(replies)),
        "corpus": counts,
        "mutations": made,
        "hostile_megabyte_s": round(hostile, 2),
    }
    if options.json:
        print(json.dumps(report))
    else:
        told = f"{counts['right']} of {counts['values']} values right, {counts['wrong']} wrong"
        print(f"corpus     {told} ({counts['replies']} replies)")
        print(f"speed      {report['replies_a_second']:,} replies a second (target {RATE:,})")
        told = f"{made['missed']} missed, {made['false']} false"
        print(f"generated  {2 * made['generated']:,} generated and spoiled: {told}")
        print(f"hostile    {hostile:.2f} s for the slowest megabyte")
    right = counts["right"] >= 0.99 * counts["values"] and not counts["wrong"] and not made["false"]
    return 0 if right and report["replies_a_second"] >= RATE else 1


if __name__ == "__main__":
    sys.exit(main())
