// Items by respondents. One number a cell, darker is more; a click or Enter opens what is behind it.

const ROWS_AT_ONCE = 250;

async function showMatrix(main) {
  const { settings } = state();
  const task = taskOf(settings.get("task")) ? settings.get("task") : BOOK.head.tasks[BOOK.head.tasks.length - 1].task;
  const grid = await get(pathOf("grid", task));
  const table = el("div");
  const draw = () => drawMatrix(table, grid, task);
  const again = () => showMatrix(main);
  const columns = columnsOf(grid);
  const facets = grid.facets.filter((facet) => facet !== columns.facet).map((facet) => choice(facet.label, facet.name, facet.values.map((value, k) => [value, facet.labels[k]]), facetValue(grid, facet), draw));
  fill(main, el("h1", null, taskOf(task).title), el("p.lead", null, taskOf(task).question),
    el("div.controls", null,
      BOOK.head.tasks.length > 1 ? choice("Study part", "task", BOOK.head.tasks.map((one) => [one.task, one.title]), task, again) : null,
      choice("Measure", "measure", grid.measures.map((measure) => [measure.name, measure.label]), measureOf(grid).name, draw),
      facets,
      grid.facets.length ? choice("Columns", "columns", [["respondents", "respondents"], ...grid.facets.filter((facet) => facet.values.length > 1).map((facet) => [facet.name, facet.label.toLowerCase()])], columns.facet ? columns.facet.name : "respondents", again) : null,
      columns.facet && grid.respondents.length > 1 ? choice("Respondent", "respondent", grid.respondents.map((one) => [one.name, one.name]), grid.respondents[columns.who].name, draw) : null,
      choice("Sort by", "sort", [["plan", "order of the plan"], ["disagreement", "disagreement"], ["name", "name"], ...columns.names.map((name, k) => [`r${k}`, name])], settings.get("sort") || "plan", draw),
      filterBox(settings, draw),
      !columns.facet && grid.respondents.some((one) => one.reference) ? tick("baselines", "references", settings.get("references") !== "no", draw) : null),
    table);
  draw();
}

function filterBox(settings, draw) {
  const box = el("input", { type: "search", value: settings.get("q") || "", placeholder: "asia, pc, gpt ...", input: (event) => { set({ q: event.target.value }); draw(); } });
  return el("label", null, "Filter", box);
}

function tick(label, name, value, draw) {
  const box = el("input", { type: "checkbox", checked: value, change: (event) => { set({ [name]: event.target.checked ? "" : "no" }); draw(); } });
  return el("label.tick", null, box, label);
}

function measureOf(grid) {
  const wanted = state().settings.get("measure");
  return grid.measures.find((measure) => measure.name === wanted)
    || grid.measures.find((measure) => measure.name === "f1") || grid.measures.find((measure) => measure.headline) || grid.measures[0];
}

function facetValue(grid, facet) {
  const wanted = state().settings.get(facet.name);
  if (facet.values.includes(wanted)) return wanted;
  return facet.opens;
}

/** What stands in the columns: the respondents, or the values of a facet for one of them. */
function columnsOf(grid) {
  const settings = state().settings;
  const facet = grid.facets.find((one) => one.name === (settings.get("columns") || defaultColumns(grid)));
  const names = grid.respondents.map((one) => one.name);
  if (!facet) return { facet: null, names, plain: names.map((name, k) => !grid.respondents[k].reference) };
  const who = Math.max(0, names.indexOf(settings.get("respondent")));
  return { facet, place: grid.facets.indexOf(facet), who, names: facet.labels, plain: facet.labels.map(() => true) };
}

/** One respondent alone says more beside itself: its copies, its ways of being asked. */
function defaultColumns(grid) {
  const variant = grid.facets.find((one) => one.name === "variant" && one.values.length > 1);
  return grid.respondents.length === 1 && variant ? "variant" : "respondents";
}

/** item -> column -> place of the cell, under the facets that are chosen; -1 answers whatever the facet. */
function chosenCells(grid, columns) {
  const wanted = grid.facets.map((facet) => facet.values.indexOf(facetValue(grid, facet)));
  const found = grid.items.map(() => new Array(columns.names.length).fill(-1));
  const fits = (cell) => wanted.every((value, k) => (columns.facet && k === columns.place) || cell[2 + k] === value || cell[2 + k] === -1);
  grid.cells.forEach((cell, place) => {
    if (!fits(cell)) return;
    if (!columns.facet) found[cell[0]][cell[1]] = place;
    else if (cell[1] === columns.who && cell[2 + columns.place] >= 0) found[cell[0]][cell[2 + columns.place]] = place;
    else if (cell[1] === columns.who) found[cell[0]].fill(place);
  });
  return found;
}

function shownMatrix(grid) {
  const { settings } = state();
  const columns = columnsOf(grid);
  const words = (settings.get("q") || "").toLowerCase().split(/[\s,]+/).filter(Boolean);
  const names = columns.names.map((name) => name.toLowerCase());
  const columnWords = words.filter((word) => !grid.items.some((item) => item.toLowerCase().includes(word)) && names.some((name) => name.includes(word)));
  const itemWords = words.filter((word) => !columnWords.includes(word));
  const places = chosenCells(grid, columns);
  const shown = names.map((name, k) => k).filter((k) => places.some((row) => row[k] >= 0) // nobody planned the others
    && (settings.get("references") !== "no" || columns.plain[k]) && (!columnWords.length || columnWords.some((word) => names[k].includes(word))));
  const values = grid.values[measureOf(grid).name];
  const rows = grid.items.map((item, i) => {
    const cells = shown.map((k) => places[i][k]);
    const numbers = cells.map((place) => (place < 0 || !values[place] ? null : values[place][0]));
    const there = numbers.filter((value) => value !== null);
    return { item, i, cells, numbers, spread: there.length > 1 ? Math.max(...there) - Math.min(...there) : null };
  }).filter((row) => itemWords.every((word) => row.item.toLowerCase().includes(word)) && row.cells.some((place) => place >= 0));
  return { names: columns.names, columns: shown, rows: sorted(rows, settings.get("sort") || "plan", shown) };
}

function sorted(rows, by, columns) {
  const low = (value) => (value === null ? -Infinity : value);
  if (by === "disagreement") return rows.sort((a, b) => low(b.spread) - low(a.spread) || a.i - b.i);
  if (by === "name") return rows.sort((a, b) => a.item.localeCompare(b.item));
  const column = /^r\d+$/.test(by) ? columns.indexOf(Number(by.slice(1))) : -1;
  return column < 0 ? rows : rows.sort((a, b) => low(b.numbers[column]) - low(a.numbers[column]) || a.i - b.i);
}

function drawMatrix(host, grid, task) {
  const measure = measureOf(grid);
  const { names, columns, rows } = shownMatrix(grid);
  const all = rows.flatMap((row) => row.numbers).filter((value) => value !== null);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const depth = (value) => (most > least ? (value - least) / (most - least) : 0.4);
  const sort = state().settings.get("sort") || "plan";
  const by = (key) => () => { set({ sort: sort === key ? "plan" : key }); drawMatrix(host, grid, task); };
  const head = el("tr", null, el("th", { scope: "col" }, `${rows.length} of ${grid.items.length} items`),
    columns.map((k) => el("th", { scope: "col", title: names[k] }, el("button", { type: "button", "aria-pressed": String(sort === `r${k}`), click: by(`r${k}`) }, names[k]))),
    columns.length > 1 ? el("th", { scope: "col" }, el("button", { type: "button", "aria-pressed": String(sort === "disagreement"), click: by("disagreement") }, "disagreement")) : null);
  const line = (row) => el("tr", null, el("th", { scope: "row", title: row.item }, row.item),
    row.cells.map((place, c) => el("td", null, place < 0 ? null : matrixCell(grid, task, measure, row, place, names[columns[c]], depth))),
    columns.length > 1 ? el("td.spread.num", null, number(row.spread)) : null);
  const body = el("tbody", null, rows.slice(0, ROWS_AT_ONCE).map(line));
  const more = rows.length > ROWS_AT_ONCE
    ? el("button.plain", { type: "button", click: (event) => { append(body, rows.slice(ROWS_AT_ONCE).map(line)); event.target.remove(); } }, `Show all ${number(rows.length)} items`) : null;
  const matrix = el("table.matrix", { keydown: arrows }, el("thead", null, head), body);
  const csv = () => csvOf(["item", ...columns.map((k) => names[k])], rows.map((row) => [row.item, ...row.numbers]));
  fill(host,
    el("div.legend", null,
      all.length ? el("span", null, number(least), el("span.ramp", { "aria-hidden": "true" }), number(most)) : null,
      el("span", null, measure.about || title(measure.label), measure.better === "none" ? "" : `; ${measure.better} is better`),
      el("span", null, "hatched: nothing to average"), grid.note ? el("span", null, grid.note) : null),
    rows.length ? el("div.scroll.tall", null, matrix) : el("p.notice", null, "No item fits this filter."),
    el("div.actions", null, more, saveButton("CSV", `${task}_${measure.name}.csv`, csv, "text/csv"), el("span.quiet.small", null, "Arrow keys move, Enter opens, Escape comes back.")));
  const first = matrix.querySelector("td > a");
  if (first) first.tabIndex = 0;
}

function matrixCell(grid, task, measure, row, place, column, depth) {
  const cell = grid.cells[place];
  const [planned, ok] = cell.slice(-2);
  const found = grid.values[measure.name][place];
  const others = Object.entries(grid.statuses[place]).map(([status, n]) => `${status} ${n}`);
  const key = keyOf(grid, cell);
  const about = `${row.item}, ${column}: ${found ? `${number(found[0])}, ${grid.spread} ${range([found[1], found[2]])}, n ${found[3]}` : "nothing to average"}; ${ok} of ${planned} ${grid.repeats} ok${others.length ? ` (${others.join(", ")})` : ""}`;
  const attributes = { href: cellAddress(task, key), title: about, "aria-label": about, tabindex: -1 };
  if (!found) return el("a.missing", attributes, others.length ? Object.keys(grid.statuses[place])[0] : ok < planned ? "to be done" : grid.reasons[measure.name]?.[place] ?? "undefined");
  return el("a", { ...attributes, "--v": depth(found[0]).toFixed(3) }, number(found[0]), ok < planned ? el("small", null, `${ok} of ${planned}`) : null);
}

/** The cell behind a place: item, variant, respondent. `of` is one measure of the same reply, where it has several. */
function keyOf(grid, cell) {
  const k = grid.facets.findIndex((facet) => facet.name === "variant");
  const variant = k < 0 ? "clean" : cell[2 + k] < 0 ? "reference" : grid.facets[k].values[cell[2 + k]];
  return [grid.items[cell[0]], variant, grid.respondents[cell[1]].name];
}

function arrows(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = steps[event.key];
  const here = event.target.closest("td");
  if (!step || !here) return;
  let row = here.parentElement;
  let k = here.cellIndex;
  for (let tries = 0; tries < 500; tries += 1) {
    row = step[0] ? (step[0] > 0 ? row.nextElementSibling : row.previousElementSibling) : row;
    k += step[1];
    const next = row && row.cells[k];
    if (!next || next.tagName !== "TD") return;
    const link = next.querySelector("a");
    if (link) {
      event.preventDefault();
      link.focus();
      return;
    }
  }
}
