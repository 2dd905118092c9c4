// One cell: what was asked, what came back and where it was read, what is true.

const PIECE = 8000;
const SHOWN_AT_FIRST = 60000; // characters of a reply; the rest is one click away

async function showCell(main) {
  const { settings } = state();
  const task = settings.get("task");
  const key = ["item", "variant", "respondent"].map((name) => settings.get(name) || "");
  const back = address("matrix", { task });
  const crumbs = el("p.crumbs", null, el("a", { href: back, id: "back" }, `← ${taskOf(task) ? taskOf(task).title : "Matrix"}`));
  let found;
  try {
    found = await get(pathOf("cell", task || "", ...key));
  } catch (error) {
    fill(main, crumbs, el("h1", null, key[0]), el("p.notice", null, error.message));
    return;
  }
  fill(main, crumbs,
    el("h1", null, key[0]),
    el("p.lead", null, key[2], key[1] && key[1] !== "clean" ? ` · ${key[1]}` : ""),
    el("div.chips", null, Object.entries(found.statuses).map(([status, n]) => el(`span.chip.${mood(status)}`, null, `${status} ${number(n)}`)),
      found.graph ? el("a.chip", { href: address("graphs", { task, item: key[0], learner: found.graph }) }, "Its graphs") : null,
      found.truth_of ? el("a.chip", { href: cellAddress(found.truth_of[0], found.truth_of.slice(1)) }, "The runs behind the truth") : null),
    siblingsOf(found),
    withoutRepeats(found.blocks).map((block, k) => blockOf(block, `${task}_${k}`, found)));
}

/** A prompt that stands above already is folded. */
function withoutRepeats(blocks) {
  const seen = new Set();
  return blocks.map((block) => {
    if (block.kind !== "exchange" || block.folded) return block;
    const prompt = JSON.stringify(block.prompt);
    const again = seen.has(prompt);
    seen.add(prompt);
    return { ...block, again };
  });
}

function siblingsOf(found) {
  const groups = new Map();
  for (const one of found.siblings) {
    const name = one.group || "Beside it";
    groups.set(name, [...(groups.get(name) || []), one]);
  }
  return [...groups].map(([name, all]) => el("div.chips", null, el("span.group", null, name),
    all.slice(0, 24).map((one) => el("a.chip", { href: cellAddress(found.task, one.key) }, one.label))));
}

function blockOf(block, name, cell) {
  const kinds = { exchange: exchangeOf, claims: claimsOf, bars: barsOf, strips: stripsOf, lines: linesOf, text: textOf };
  if (block.kind === "table") return el("div", null, dataTable(block, name, 24));
  return kinds[block.kind] ? kinds[block.kind](block, cell) : null;
}

function linesOf(block) {
  return el("div.card", null, el("h3", null, block.title), block.lines.map((line) => el("p", null, line)));
}

function textOf(block) {
  if (!block.text) return null;
  const body = [el("div.said", { dir: "auto" }, pieces([block.text])), block.message ? el("p.small", null, block.message) : null];
  return block.folded ? el("details.card", null, el("summary", null, block.title), body) : el("div.card", null, el("h3", null, block.title), body);
}

function exchangeOf(block, cell) {
  const about = Object.entries(block.about).map(([name, value]) => `${name} ${typeof value === "number" ? (name === "cost" ? `$${value.toFixed(5)}` : number(value)) : value}`).join(" · ");
  const said = el("div.said", { tabindex: 0, dir: "auto" }, block.prompt.map((message) => [el("span.role", null, message.role), verbatim(message.content)]));
  const prompt = block.again ? el("details", null, el("summary.small", null, "the same as above"), said) : said;
  const body = el("div", null,
    el("div.exchange", null,
      el("div", null, el("span.label", null, "Prompt"), prompt),
      el("div", null, el("span.label", null, `Reply · ${number([...block.text].length)} characters`), replyOf(block),
        block.verdict ? el("p.small", null, "Read as: ", block.verdict) : null,
        block.message ? el("p.small", null, block.message) : null)),
    el("p.quiet.small", null, about),
    SERVED ? noteOf(block, cell) : null);
  const heading = el("span", null, block.title || "Reply", " ", el(`span.chip.${mood(block.status)}`, null, block.status));
  if (block.folded) return el("details.card", null, el("summary", null, heading), body);
  return el("div.card", { "data-reply": block.key }, el("h3", null, heading), body);
}

/** The reply as text nodes, with what was read in <mark>. Spans count characters (code points), as Python does. */
function replyOf(block) {
  const letters = [...block.text];
  const said = el("div.said", { tabindex: 0, dir: "auto" });
  const draw = (most) => {
    const parts = [];
    let at = 0;
    for (const [start, end, label] of block.marks) {
      if (end > most) break;
      parts.push(letters.slice(at, start).join(""), el("mark", { title: label }, verbatim(letters.slice(start, end).join(""))));
      at = end;
    }
    parts.push(letters.slice(at, most).join(""));
    fill(said, letters.length ? pieces(parts) : el("span.quiet", null, "(empty)"));
  };
  draw(SHOWN_AT_FIRST);
  if (letters.length <= SHOWN_AT_FIRST) return said;
  const more = el("button.plain", { type: "button", click: () => { draw(letters.length); more.remove(); } }, `Show all ${number(letters.length)} characters`);
  return [said, more];
}

/** A long text in blocks that the browser lays out when they come into view; the text itself stays the same. */
function pieces(parts) {
  const found = [el("div.piece")];
  for (const part of parts) {
    let rest = part;
    while (typeof rest === "string" && rest.length > PIECE) {
      const line = rest.lastIndexOf("\n", PIECE);
      const word = rest.lastIndexOf(" ", PIECE);
      const cut = line > PIECE / 2 ? line + 1 : word > PIECE / 2 ? word + 1 : PIECE;
      found[found.length - 1].append(rest.slice(0, cut));
      rest = rest.slice(cut);
      found.push(el("div.piece"));
    }
    found[found.length - 1].append(rest);
  }
  if (found.length === 1) found[0].className = "";
  return found;
}

function claimsOf(block) {
  const rows = block.rows.map((row) => {
    const truth = row.truth;
    const said = row.claims.filter((claim) => claim.low !== null);
    const lost = row.claims.filter((claim) => claim.low === null).map((claim) => claim.status);
    const measured = truth ? el("div", null, "measured ", el("b", null, number(truth.mean)), ` ${range(truth.ci)}, runs ${range(truth.runs)}, n ${truth.n}`) : el("div", null, "no run has a value");
    const claimed = said.length ? el("div", null, "claimed ", el("b", null, said.map((claim) => range([claim.low, claim.high])).slice(0, 3).join(" ")), said.length > 3 ? ` and ${said.length - 3} more` : "") : null;
    const scores = Object.entries(row.scores).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${number(value)}`).join(", ");
    return el("div.range", { "data-measure": row.name }, el("span", null, row.label), claimsPicture(row, said),
      el("div.told", null, claimed, lost.length ? el("div", null, `no claim: ${[...new Set(lost)].join(", ")}`) : null, measured, said.length && scores ? el("div", null, scores) : null));
  });
  return el("div.card", null, el("h3", null, block.title), rows,
    el("p.quiet.small", null, `Grey: the ${share(block.level)} range of the runs. Thin line: the ${share(block.level)} CI of their mean. Coloured: what was claimed, one bar a repeat.`));
}

function claimsPicture(row, said) {
  const wide = 420;
  const bars = Math.max(said.length, 1);
  const tall = 18 + Math.min(bars, 6) * 6;
  const top = row.top || 1;
  const x = (value) => (wide * Math.max(0, Math.min(value, top))) / top;
  const shapes = [svg("line", { x1: 0, x2: wide, y1: tall - 12, y2: tall - 12, stroke: "var(--line)" })];
  for (const part of [0, 0.5, 1]) {
    shapes.push(svg("text", { x: part * wide, y: tall, "font-size": 10, fill: "var(--soft)", "text-anchor": ["start", "middle", "end"][2 * part] }, number(part * top)));
  }
  if (row.truth && row.truth.runs) shapes.push(svg("rect", { x: x(row.truth.runs[0]), width: Math.max(2, x(row.truth.runs[1]) - x(row.truth.runs[0])), y: 1, height: tall - 14, rx: 3, fill: "var(--runs)" }));
  said.slice(0, 6).forEach((claim, k) => shapes.push(svg("rect", { x: x(claim.low), width: Math.max(3, x(claim.high) - x(claim.low)), y: 3 + k * 6, height: 4.4, rx: 2, fill: "var(--fill)" }, svg("title", null, `repeat ${claim.repeat + 1}: ${range([claim.low, claim.high])}`))));
  if (row.truth) {
    const ci = row.truth.ci || [row.truth.mean, row.truth.mean];
    shapes.push(svg("line", { x1: x(ci[0]), x2: Math.max(x(ci[1]), x(ci[0]) + 1.5), y1: tall - 16, y2: tall - 16, stroke: "var(--truth)", "stroke-width": 2 }));
    shapes.push(svg("line", { x1: x(row.truth.mean), x2: x(row.truth.mean), y1: 0, y2: tall - 12, stroke: "var(--truth)", "stroke-width": 1.2 }));
  }
  return svg("svg", { viewBox: `0 0 ${wide} ${tall + 2}`, role: "img", "aria-label": `${row.label}: claimed and measured` }, shapes);
}

function barsOf(block) {
  const counts = Object.entries(block.replies).map(([status, n]) => `${status} ${n}`).join(", ");
  const rows = block.levels.map((level, k) => [
    el("span", null, level),
    el("div.pairbar", null, el("i", { "width%": 100 * block.truth[k], title: `true ${share(block.truth[k])}` }), block.claimed ? el("i.claimed", { "width%": 100 * block.claimed[k], title: `claimed ${share(block.claimed[k])}` }) : null),
    el("span.num.quiet", null, `${share(block.truth[k])} · ${block.claimed ? share(block.claimed[k]) : "–"}`)]);
  return el("div.card", null, el("h3", null, block.title, " ", block.status === "ok" ? null : el(`span.chip.${mood(block.status)}`, null, block.status)),
    el("div.levels", null, rows),
    el("p.quiet.small", null, `Grey: true share. Coloured: claimed.${counts ? ` Replies: ${counts}.` : ""} ${block.message || ""}`));
}

function stripsOf(block) {
  const rows = block.rows.filter((row) => row.values.some((value) => value !== null)).map((row) => {
    const there = row.values.filter((value) => value !== null);
    const top = row.top || Math.max(1, ...there);
    const x = (value) => 6 + (388 * value) / top;
    const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
    const stacked = new Map();
    const dots = there.map((value) => {
      const bin = Math.round(x(value) / 4);
      const level = stacked.get(bin) || 0;
      stacked.set(bin, level + 1);
      return svg("circle", { cx: x(value), cy: 22 - Math.min(level * 1.6, 18), r: 2.6, fill: "var(--fill)", opacity: 0.55 });
    });
    return el("div.strip", null, el("span", null, row.label),
      svg("svg", { viewBox: "0 0 400 34", preserveAspectRatio: "none", role: "img", "aria-label": `${row.label} of ${there.length} runs` },
        svg("line", { x1: 0, x2: 400, y1: 26, y2: 26, stroke: "var(--line)" }), dots, svg("line", { x1: x(mean), x2: x(mean), y1: 2, y2: 30, stroke: "var(--truth)", "stroke-width": 1.4 })),
      el("span.num.quiet", null, `${number(Math.min(...there))} to ${number(Math.max(...there))}, n ${there.length}`));
  });
  return rows.length ? el("div.card", null, el("h3", null, block.title), rows, el("p.quiet.small", null, "One dot a run; the line is their mean.")) : null;
}
