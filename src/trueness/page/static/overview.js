// The first page: the one thing that each study says, then whether it stands, what was found, what cannot be told.

const FEW = 4;

async function showOverview(main) {
  const [found, drawn, progress] = await Promise.all([get("overview"), get("figures"), get("progress")]);
  const first = drawn.find((figure) => figure.name === "intervals_f1") || drawn[0];
  fill(main,
    el("h1", null, BOOK.head.study),
    el("p.lead", null, BOOK.head.tasks.map((task) => task.question).filter(Boolean).join(" ")),
    BOOK.sample ? el("p.notice", null, BOOK.sample, " All of it: ", el("code", null, `trueness view ${BOOK.head.folder}`)) : null,
    found.tasks.map((task) => headlineOf(task, found.tasks.length > 1)),
    standsOf(found, progress),
    first ? [el("h2", null, "The picture"), figureOf(first), drawn.length > 1 ? el("p", null, el("a", { href: "#figures" }, `All ${drawn.length} charts`)) : null] : null,
    found.tasks.map((task) => findingsOf(task, found.tasks.length > 1)),
    untoldOf(found),
    completenessOf(found.completeness),
    provenanceOf(found));
}

function progressOf(progress) {
  const rows = progress.tasks.map((task) => {
    const ok = task.statuses.ok || 0;
    const bad = task.done - ok;
    const wide = Math.max(task.planned, 1);
    return el("div.row", null, el("span", null, taskOf(task.task).title),
      el("div.track", { role: "img", "aria-label": `${task.done} of ${task.planned} done` }, el("i", { "width%": (100 * ok) / wide }), el("i.bad", { "width%": (100 * bad) / wide })),
      el("span.num.quiet", null, `${number(task.done)} of ${number(task.planned)}${bad ? `, ${number(bad)} without an answer` : ""}`));
  });
  const cost = !progress.cost ? null : el("p.quiet.small.num", null, `Spent: $${progress.cost.toFixed(progress.cost < 1 ? 4 : 2)}`);
  return el("div.progress", null, rows, cost);
}

/** A sentence, and beside it who stands where: a dot and its interval on one scale. */
function headlineOf(task, several) {
  const told = task.headline;
  if (!told) return null;
  return el("section.headline", { "aria-label": "headline" },
    el("div", null, several ? el("h2", null, taskOf(task.task).title) : null, el("p.first", null, told.sentence)),
    told.rows.length ? standingsOf(told) : null);
}

function standingsOf(told) {
  const ends = told.rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]);
  const [least, most] = [Math.min(0, ...ends), Math.max(...ends)];
  const two = (value) => value.toFixed(Math.abs(value) >= 10 ? 0 : 2);
  const x = (value) => 4 + (192 * (value - least)) / (most - least || 1);
  const rows = told.rows.slice(0, 8).map((row) => el("tr", null, el("td", null, row.name),
    el("td.num", null, two(row.value), row.constant ? el("span.quiet", null, " (constant)") : row.low === null ? null : el("span.quiet", null, ` ${range([row.low, row.high])}`)),
    el("td.bar", null, svg("svg", { viewBox: "0 0 200 14", preserveAspectRatio: "xMinYMid meet", role: "img", "aria-label": `${number(row.value)} on a scale from ${number(least)} to ${number(most)}` },
      row.low === null ? null : svg("line", { x1: x(row.low), x2: x(row.high), y1: 7, y2: 7, stroke: "var(--fill)", "stroke-width": 3 }),
      svg("circle", { cx: x(row.value), cy: 7, r: 4.5, fill: "var(--fill)" })))));
  const rest = told.rows.length - rows.length;
  return el("table.standings", null, el("tbody", null, rows), el("caption", null, title(told.of), ".", rest ? ` ${rest} more below.` : ""));
}

/** One line: the checks, and how much is done; open, each of them. While something is to be done its bars stay in sight. */
function standsOf(found, progress) {
  const total = (key) => progress.tasks.reduce((sum, task) => sum + (key === "ok" ? task.statuses.ok || 0 : task[key]), 0);
  const [planned, done] = [total("planned"), total("done")];
  const lost = done - total("ok");
  const bars = el("div", { id: "progress" }, progressOf(progress));
  const [verdict, list] = checksOf(found);
  const counted = `${number(done)} of ${number(planned)} done${lost ? `, ${number(lost)} without an answer` : ""}`;
  return [el("details.card.folded", { "aria-label": "checks and progress" }, el("summary", null, verdict, el("span.num", null, counted)), list, done < planned ? null : bars),
    done < planned ? bars : null];
}

/** What the line says of the checks, and the list of them. */
function checksOf(found) {
  const checks = found.tasks.flatMap((task) => task.checks.map((check) => ({ ...check, task: task.task })));
  const words = { true: ["holds", "ok"], false: ["fails", "no"], null: ["not checked", "open"] };
  if (!checks.length) return [null, null];
  const failed = checks.filter((check) => check.passed === false);
  const unknown = checks.filter((check) => check.passed === null).length;
  const named = (check) => (found.tasks.length > 1 ? `${taskOf(check.task).title}, ${check.name}` : check.name);
  const verdict = failed.length ? `, ${failed.length} ${failed.length === 1 ? "fails" : "fail"}: ${failed.map(named).join("; ")}` : unknown ? "" : ", all hold";
  return [[el("b", null, `${checks.length} ${checks.length === 1 ? "check" : "checks"}`), `${verdict}${unknown ? `, ${unknown} not checked` : ""}. `],
    el("ul.checks", null, checks.map((check) => {
      const [word, colour] = words[String(check.passed)];
      return el("li", null, el(`span.verdict.${colour}`, null, word), el("span", null, el("b", null, `${title(named(check))}: `), check.sentence));
    }))];
}

function findingsOf(task, several) {
  const there = task.sections.filter((section) => section.sentences.length);
  if (!there.length) return null;
  return el("section.findings", null, el("h2", null, several ? `${taskOf(task.task).title}: what was found` : "What was found"),
    forestOf(task.forest || []),
    there.map((section) => el("div", null, el("h3", null, title(section.title)), sentences(section.sentences))));
}

/** Differences with their intervals, zero marked. */
function forestOf(rows) {
  if (!rows.length) return null;
  const ends = rows.flatMap((row) => [row.low, row.high, 0]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const x = (value) => 10 + (580 * (value - least)) / (most - least || 1);
  const lines = rows.map((row, k) => svg("g", null, svg("title", null, `${row.label}: ${number(row.value)} ${range([row.low, row.high])}`),
    svg("text", { x: 10, y: 20 + 44 * k, "font-size": 12.5, fill: "var(--ink)" }, row.label),
    svg("line", { x1: x(row.low), x2: x(row.high), y1: 34 + 44 * k, y2: 34 + 44 * k, stroke: "var(--fill)", "stroke-width": 3 }),
    svg("circle", { cx: x(row.value), cy: 34 + 44 * k, r: 5, fill: "var(--fill)" })));
  const tall = 44 * rows.length + 26;
  return el("div.card.forest", null, svg("svg", { class: "curve", viewBox: `0 0 600 ${tall}`, role: "img", "aria-label": "paired differences with intervals" },
    rows.map((_, k) => svg("line", { x1: x(0), x2: x(0), y1: 26 + 44 * k, y2: 43 + 44 * k, stroke: "var(--soft)", "stroke-dasharray": "3 3" })), lines,
    svg("text", { x: 10, y: tall - 4, "font-size": 11, fill: "var(--soft)" }, number(least)),
    svg("text", { x: 590, y: tall - 4, "font-size": 11, fill: "var(--soft)", "text-anchor": "end" }, number(most))));
}

function sentences(said, most = FEW) {
  const list = el("ul.sentences", null, said.slice(0, most).map(sentenceOf));
  if (said.length <= most) return list;
  const more = el("button.plain", { type: "button", click: () => { append(list, said.slice(most).map(sentenceOf)); more.remove(); } }, `${said.length - most} more`);
  return [list, more];
}

/** What was found; how (interval, test, adjustment, n) is a click away: every long bracket of the sentence. */
function sentenceOf(sentence) {
  const parts = sentence.split(/( \((?:[^()]|\([^()]*\)){48,}\))/);  // every second part is such a bracket
  if (parts.length === 1) return el("li", null, sentence);
  const shown = parts.map((part, k) => (k % 2 ? el("span.how", { hidden: true }, part) : part));
  const hows = shown.filter((_, k) => k % 2);
  const mark = el("button.plain.small", { type: "button", title: hows.map((how) => how.textContent.slice(2, -1)).join("; "), "aria-label": "how it was tested", click: () => hows.forEach((how) => { how.hidden = !how.hidden; }) }, "how");
  return el("li", null, shown, " ", mark);
}

function untoldOf(found) {
  const said = found.tasks.flatMap((task) => task.untold);
  return said.length ? el("section", null, el("h2", null, "What this design cannot tell"), sentences(said, 6)) : null;
}

function completenessOf(tasks) {
  const rows = tasks.flatMap((task) => task.rows.map((row) => ({ ...row, task: task.task })));
  if (!rows.length) return null;
  const statuses = [...new Set(rows.flatMap((row) => Object.keys(row.statuses)))].sort((a, b) => (b === "ok") - (a === "ok"));
  const columns = ["task", "respondent", "planned", ...statuses, "to be done"];
  const lines = rows.map((row) => {
    const done = Object.values(row.statuses).reduce((sum, n) => sum + n, 0);
    return [row.task, row.respondent, row.planned, ...statuses.map((status) => row.statuses[status] || 0), row.planned - done];
  });
  return el("section", null, el("h2", null, "Completeness"), dataTable({ columns, rows: lines, title: "", note: "Missing is missing: what has no answer stands in no mean." }, "completeness", 12));
}

function provenanceOf(found) {
  const told = found.provenance;
  if (found.seed === null) return null;
  const packages = Object.entries(told.packages || {}).map(([name, version]) => `${name} ${version}`);
  return el("div.quiet.small", null,
    el("p", null, `Seed ${found.seed}. `, told.written ? `Tables of ${told.written}, Python ${told.python}, ${told.platform}.` : ""),
    packages.length ? el("details", null, el("summary", null, `Versions of ${packages.length} packages`), el("p", null, packages.join(", "))) : null);
}
