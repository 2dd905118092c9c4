// The frame around the views, light and dark, keys.

const VIEWS = { overview: showOverview, matrix: showMatrix, cell: showCell, graphs: showGraphs, analysis: showAnalysis, figures: showFigures };
const main = document.getElementById("content");
let turn = 0;

function tabs() {
  const found = BOOK.tabs || ["overview", "matrix", "graphs", "analysis", "figures"];
  const names = { figures: "Charts" };
  return found.filter((name) => name !== "graphs" || BOOK.head.tasks.some((task) => task.graphs.length)).map((name) => [name, names[name] || title(name)]);
}

function frame() {
  const view = state().view === "cell" ? "matrix" : state().view;
  fill(document.getElementById("top"),
    el("div.bar", null, el("span.name", null, BOOK.head.study), el("span.where", { title: BOOK.head.folder }, BOOK.head.folder),
      el("span.tools", null, liveBadge(), studySwitch(), el("button.plain", { type: "button", click: turnTheme, "aria-label": "light or dark" }, "Light / dark"))),
    el("nav", { "aria-label": "pages" }, tabs().map(([name, text]) => el("a", { href: `#${name}`, "aria-current": name === view ? "page" : null, "data-tab": name }, text))));
  fill(document.getElementById("bottom"), `trueness ${BOOK.head.version} · ${SERVED ? "served from this machine" : `written ${BOOK.head.made}`}`);
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("trueness-theme", root.dataset.theme); } catch { /* a page from disk may have no storage */ }
}

/** Draw what the address says. `quietly`: new data came, the reader stays where they are. */
async function show(quietly = false) {
  turn += 1;
  const mine = turn;
  const view = VIEWS[state().view] ? state().view : "overview";
  const place = scrollY;
  const host = el("div");
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.dataset.tab === (view === "cell" ? "matrix" : view);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    await VIEWS[view](host);
  } catch (error) {
    fill(host, el("h1", null, "This cannot be shown"), el("p.notice", null, error.message));
  }
  if (mine !== turn) return;
  fill(main, host);
  if (quietly) scrollTo(0, place);
  else if (view !== "overview") scrollTo(0, 0);
  document.title = printable(`${BOOK.head.study} · ${title(view)}`);
}

let steps = 0; // within this page: Escape goes back over those, never out of it
addEventListener("hashchange", () => { steps += 1; show(); });
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state().view === "cell") {
    const back = document.getElementById("back");
    if (steps > 0) history.back();
    else if (back) location.hash = back.getAttribute("href");
  }
});

try {
  const kept = localStorage.getItem("trueness-theme");
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
} catch { /* as above */ }
frame();
show();
if (SERVED) watch();
