// Elements, numbers, downloads. Text enters the page through text nodes only: there is no innerHTML anywhere. What turns
// writing round or cannot be seen is shown as \u202e, as the terminal and the tables show it (texts.py); a prompt and a
// reply are shown as they came (verbatim).

const SVG = "http://www.w3.org/2000/svg";
const ACTS = /[^\P{C}\n]|[^\P{Z} ]/gu;
const TOLD = ["title", "aria-label", "alt", "placeholder"]; // attributes that people read

function printable(text) {
  const code = (sign) => sign.codePointAt(0).toString(16);
  return text.replace(ACTS, (sign) => (/\p{Zs}/u.test(sign) ? " " : sign < "\u0100" ? `\\x${code(sign).padStart(2, "0")}` : `\\u${code(sign).padStart(4, "0")}`));
}

function verbatim(text) {
  return document.createTextNode(text);
}

/** el("div.card", {title: "..."}, child, ...): strings become text nodes, null is left out, functions are listeners. */
function el(kind, attributes, ...children) {
  return build(document.createElement(kind.split(".")[0]), kind, attributes, children);
}

function svg(kind, attributes, ...children) {
  return build(document.createElementNS(SVG, kind.split(".")[0]), kind, attributes, children);
}

function build(node, kind, attributes, children) {
  const classes = kind.split(".").slice(1);
  if (classes.length) node.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else if (name === "width%") node.style.width = `${value}%`;
    else node.setAttribute(name, value === true ? "" : TOLD.includes(name) ? printable(String(value)) : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : verbatim(printable(String(child))));
  }
}

function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/** Three digits that say something; whole numbers as they are, with thousands apart. */
function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

function range(ends) {
  if (!ends) return "–";
  const [low, high] = ends.map(number);
  if (low !== high || Math.abs(ends[0] - ends[1]) < 1e-9) return `[${low}, ${high}]`;
  return `[${ends.map((end) => end.toPrecision(4)).join(", ")}]`; // they differ, and the page says so
}

function share(value) {
  return `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
}

function title(name) {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** ok, no or open, as the colours have it. */
function mood(status) {
  if (status === "ok") return "ok";
  return status === "not run" ? "open" : "no";
}

/** A text that a spreadsheet would compute stands behind an apostrophe, as in our files (texts.csv_row). */
function csvText(text) {
  const shown = printable(text).replaceAll("\n", "\\x0a");
  const computed = /^[=+\-@].*[\p{L}\p{N}_(]/u.test(shown) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?$/.test(shown);
  return computed || /^'+[=+\-@]/.test(shown) ? `'${shown}` : shown;
}

function csvOf(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : csvText(typeof value === "object" ? JSON.stringify(value) : String(value));
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function save(name, content, kind) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 30000);
}

function saveButton(label, name, content, kind) {
  return el("button.plain", { type: "button", click: () => save(name, content(), kind) }, label);
}

/** A table with numbers to the right, intervals in brackets, and its data one click away. */
function dataTable(block, name, most = 14) {
  const kinds = block.columns.map((_, k) => kindOf(block.rows.map((row) => row[k])));
  const head = el("tr", null, block.columns.map((column, k) => el(kinds[k] === "text" ? "th" : "th.right", { scope: "col" }, column.replaceAll("_", " "))));
  const line = (row) => el("tr", null, row.map((value, k) => el(cellKind(value, kinds[k]), null, shown(value))));
  const body = el("tbody", null, block.rows.slice(0, most).map(line));
  const more = block.rows.length > most
    ? el("button.plain", { type: "button", click: (event) => { append(body, block.rows.slice(most).map(line)); event.target.remove(); } }, `All ${number(block.rows.length)} rows`)
    : null;
  return el("section", null,
    block.title ? el("h3", null, block.title) : null,
    el("div.scroll.tall", { tabindex: 0, role: "region", "aria-label": block.title || name }, el("table", null, el("thead", null, head), body)),
    block.note ? el("p.quiet.small", null, block.note) : null,
    el("div.actions", null, more, saveButton("CSV", `${name}.csv`, () => csvOf(block.columns, block.rows), "text/csv")));
}

function kindOf(values) {
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.length && there.every((value) => typeof value === "number")) return "number";
  return there.length && there.every((value) => Array.isArray(value)) ? "range" : "text";
}

function cellKind(value, kind) {
  if (kind !== "text") return "td.right";
  return typeof value === "string" && value.length > 60 ? "td.wide" : "td";
}

function shown(value) {
  if (Array.isArray(value)) return value.length === 2 && value.every((v) => typeof v === "number") ? range(value) : JSON.stringify(value);
  if (value && typeof value === "object") return JSON.stringify(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null || value === undefined || value === "" ? "–" : number(value);
}
