"""Replies from a grammar of styles, with what they mean; and replies spoiled at random.

written(rng)         -> Written(text, expected)     read back exactly
spoiled(text, rng)   -> text                        cut, doubled, characters changed: must never be misread
stands_in_reply(...)                                whether a value's numbers stand in the reply at its span
"""

import random
import re
from dataclasses import dataclass

NAMES = {
    "precision": "Precision|precision|**Precision**|`precision`|Precisión|Präzision|精确率|PRECISION".split("|"),
    "recall": "Recall|recall|**Recall**|`recall`|Sensitivity|召回率|RECALL|*Recall*".split("|"),
    "f1": "F1|f1|**F1**|F1-score|F1 score|F₁|F-measure|`f1`".split("|"),
    "shd": "SHD|shd|**SHD**|Structural Hamming Distance|Structural Hamming Distance (SHD)|`shd`".split("|"),
}
KEYS = {
    "precision": ["precision", "Precision"], "recall": ["recall", "Recall"], "f1": ["f1", "F1", "f1_score"],
    "shd": ["shd", "SHD"],
}  # fmt: skip
SHARES = [
    "[{}, {}]", "({}, {})", "{}-{}", "{} - {}", "{}–{}", "{} – {}", "{} to {}", "{} — {}", "between {} and {}",
    "from {} to {}", "[{},{}]", "{} .. {}", "{}~{}", "**{}–{}**", "${}$ to ${}$", "${}$--${}$", "[{}; {}]",
    "approximately {} to {}", "about {}-{}", "lower {}, upper {}", "low: {}, high: {}", "{} bis {}", "{} à {}",
]  # fmt: skip
SEPARATORS = [": ", " = ", " — ", ":\n", ": about ", " ∈ ", " range: ", " (95% CI): ", " will be "]
BULLETS = ["", "- ", "* ", "{i}. ", "• ", "### ", "({i}) ", "> "]
BEFORE = [
    "", "", "", "Here are my estimates.\n\n", "Sure! I'd be happy to help.\n",
    "The network has 8 nodes and 10,000 samples.\n",
    "<think>precision: 0.1-0.2? no</think>\n", "Step 1: the assumptions hold.\nStep 2: n = 5000, alpha = 0.05.\n\n",
    "Based on what is known about PC (Spirtes 2000), with 100 runs:\n", "**Forecast**\n\n", "Antwort:\n",
]  # fmt: skip
AFTER = [
    "", "", "", "\n\nThese are rough guesses.", "\n\nLet me know if you need more.", "\nThe sample has 1,000 rows.",
    "\n\nNote: alpha was 0.05 and there were 8 nodes.",
]  # fmt: skip


@dataclass(frozen=True)
class Written:
    text: str
    expected: dict[str, tuple[float, float] | None]


def written(rng: random.Random) -> Written:
    """A reply in one of the styles."""
    values = {measure: _ends(measure, rng) for measure in NAMES}
    chosen = [measure for measure in NAMES if rng.random() < 0.9] or ["precision"]
    if rng.random() < 0.2:
        rng.shuffle(chosen)
    style = rng.choice([_lines, _lines, _one_line, _json, _table_of_rows, _table_of_columns, _sentence, _ends_apart])
    body = style(chosen, values, rng)
    text = rng.choice(BEFORE) + body + rng.choice(AFTER)
    return Written(text, {measure: values[measure] if measure in chosen else None for measure in NAMES})


def _ends(measure: str, rng: random.Random) -> tuple[float, float]:
    if measure == "shd":
        low = rng.randint(0, 60)
        return float(low), float(low + rng.randint(1, 40))
    low = rng.randint(1, 90)
    return low / 100, rng.randint(low + 1, 99) / 100


def _shown(measure: str, ends: tuple[float, float], rng: random.Random) -> tuple[str, str]:
    if measure == "shd":
        return f"{ends[0]:g}", f"{ends[1]:g}"
    way = rng.random()
    if way < 0.15:
        return f"{ends[0] * 100:.0f}%", f"{ends[1] * 100:.0f}%"
    if way < 0.2:
        return f"{ends[0] * 100:.0f} %", f"{ends[1] * 100:.0f} %"
    if way < 0.25:
        return f"{ends[0]:.2f}"[1:], f"{ends[1]:.2f}"[1:]
    return (f"{ends[0]:.2f}", f"{ends[1]:.2f}") if way < 0.8 else (f"{ends[0]:g}", f"{ends[1]:g}")


def _range(measure: str, ends: tuple[float, float], rng: random.Random) -> str:
    low, high = _shown(measure, ends, rng)
    form = rng.choice(SHARES)
    if form in ("{} bis {}", "{} à {}", "[{}; {}]") and rng.random() < 0.6:
        low, high = low.replace(".", ","), high.replace(".", ",")
        low, high = ("0" + low if low[0] == "," else low), ("0" + high if high[0] == "," else high)
    if rng.random() < 0.1 and low.endswith("%") and "lo" not in form:
        low = low.rstrip("% ")
    return form.format(low, high)


def _lines(chosen, values, rng):
    bullet, separator = rng.choice(BULLETS), rng.choice(SEPARATORS)
    form = random.Random(rng.random())
    state = form.getstate()
    lines = []
    for index, measure in enumerate(chosen, 1):
        if rng.random() < 0.8:
            form.setstate(state)  # most replies keep to one form
        lines.append(
            bullet.format(i=index) + rng.choice(NAMES[measure]) + separator + _range(measure, values[measure], form)
        )
    return rng.choice(["\n", "\n", "\n\n"]).join(lines)


def _one_line(chosen, values, rng):
    separator = rng.choice([": ", " = ", " "])
    parts = [rng.choice(NAMES[m]) + separator + _range(m, values[m], rng) for m in chosen]
    return rng.choice([", ", "; ", " | "]).join(parts)


def _sentence(chosen, values, rng):
    verb = rng.choice(
        [" between {} and {}", " of {} to {}", " of about {}-{}", " ranging from {} to {}", " in the range {}–{}"]
    )
    parts = [rng.choice(NAMES[m]) + verb.format(*_shown(m, values[m], rng)) for m in chosen]
    return "I expect " + ", ".join(parts) + "."


def _json(chosen, values, rng):
    shape = rng.choice(["array", "object", "flat", "string"])
    parts = []
    for measure in chosen:
        key, (low, high) = rng.choice(KEYS[measure]), values[measure]
        if shape == "array":
            parts.append(f'"{key}": [{low:g}, {high:g}]')
        elif shape == "object":
            parts.append(f'"{key}": {{"lower": {low:g}, "upper": {high:g}}}')
        elif shape == "flat":
            parts.append(f'"{key}_low": {low:g}, "{key}_high": {high:g}')
        else:
            parts.append(f'"{key}": "{low:g}-{high:g}"')
    comma = rng.choice([", ", ",\n  ", ",  // a comment\n", ","])
    body = "{" + comma.join(parts) + rng.choice(["", "", ","]) + "}"
    return rng.choice(["{}", "```json\n{}\n```", "```\n{}\n```"]).replace("{}", body)


def _table_of_rows(chosen, values, rng):
    if rng.random() < 0.5:
        rows = ["| Metric | Lower | Upper |", "|---|---|---|"]
        rows += ["| {} | {} | {} |".format(rng.choice(NAMES[m]), *_shown(m, values[m], rng)) for m in chosen]
    else:
        rows = ["| Metric | Range | Why |", "|:--|:-:|--|"]
        form = rng.choice(["{} - {}", "{}–{}", "[{}, {}]", "{} to {}"])
        rows += [f"| {rng.choice(NAMES[m])} | {form.format(*_shown(m, values[m], rng))} | weak edges |" for m in chosen]
    return "\n".join(rows)


def _table_of_columns(chosen, values, rng):
    if len(chosen) < 2:
        return _table_of_rows(chosen, values, rng)
    head = "| | " + " | ".join(rng.choice(NAMES[m]) for m in chosen) + " |"
    shown = [_shown(m, values[m], rng) for m in chosen]
    rule = "|" + "---|" * (len(chosen) + 1)
    rows = [
        f"| {name} | " + " | ".join(ends[side] for ends in shown) + " |" for side, name in enumerate(["Lower", "Upper"])
    ]
    return "\n".join([head, rule, *rows])


def _ends_apart(chosen, values, rng):
    names = rng.choice([("Lower", "Upper"), ("lower bound", "upper bound"), ("Min", "Max"), ("low", "high")])
    lines = []
    for measure in chosen:
        low, high = _shown(measure, values[measure], rng)
        lines.append(f"{rng.choice(NAMES[measure])}:\n  - {names[0]}: {low}\n  - {names[1]}: {high}")
    return "\n".join(lines)


def spoiled(text: str, rng: random.Random) -> str:
    """The reply after one to three accidents."""
    for _ in range(rng.randint(1, 3)):
        if not text:
            return text
        at, length = rng.randrange(len(text)), rng.randint(1, 20)
        way = rng.randrange(7)
        if way == 0:
            text = text[:at]
        elif way == 1:
            text = text[at:]
        elif way == 2:
            text = text[:at] + text[at : at + length] + text[at:]
        elif way == 3:
            text = text[:at] + text[at + length :]
        elif way == 4:
            text = text[:at] + rng.choice("0123456789.,-–%[](){}|:;/\"'\\*$ \nabcé精±≥<>~") + text[at + 1 :]
        elif way == 5:
            text = text[:at] + "".join(chr(rng.randrange(32, 0x2FF)) for _ in range(length % 4 + 1)) + text[at:]
        else:
            other = rng.randrange(len(text))
            text = text[:at] + text[other : other + length] + text[at + length :]
    return text


_DIGITS = re.compile(r"\d*[.,]?\d+(?:e[-+]?\d+)?")


def stands_in_reply(text: str, value) -> bool:
    """Whether both ends are written in the span: as they are, as percentages, or through the form that a flag names."""
    start, end = value.span
    if not 0 <= start < end <= len(text):
        return False
    plain = text[start:end].lower().translate({ord("０") + digit: str(digit) for digit in range(10)})
    found = [float(number.replace(",", ".").rstrip(".")) for number in _DIGITS.findall(plain)]
    found += [float(number) for number in re.findall(r"\d+", plain)]
    found += [float(a + b) for a, b in re.findall(r"(\d{1,3})[.,](\d{3})", plain)]
    found += [top / bottom for top in found for bottom in found if bottom]
    numbers = found + [number / 100 for number in found]

    def has(wanted: float) -> bool:
        return any(abs(number - abs(wanted)) < 1e-9 for number in numbers)

    if "plus_minus" in value.flags:
        lows = [(middle - radius) for middle in numbers for radius in numbers]
        return any(min(abs(low - value.low), abs(max(low, 0) - value.low)) < 1e-9 for low in lows)
    if "one_sided" in value.flags:
        return has(value.low) or has(value.high)
    return has(value.low) and has(value.high)
