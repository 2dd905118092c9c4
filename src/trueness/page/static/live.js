// What only a served page has: progress without a reload, notes on replies, other studies.

const EVERY = 2000; // milliseconds
let seen = null;
let notes = null;

function liveBadge() {
  return SERVED ? el("span.live", { id: "live" }, "live") : null;
}

async function watch() {
  const badge = document.getElementById("live");
  try {
    const progress = await get("progress", true);
    const planned = progress.tasks.reduce((sum, task) => sum + task.planned, 0);
    const done = progress.tasks.reduce((sum, task) => sum + task.done, 0);
    badge.className = done < planned ? "live" : "live done";
    fill(badge, done < planned ? `${number(done)} of ${number(planned)}` : "complete");
    if (seen !== null && progress.version !== seen) {
      forget();
      const view = state().view;
      const bars = document.getElementById("progress");
      if (bars) fill(bars, progressOf(progress));
      if ((view === "matrix" || view === "graphs") && !busy()) await show(true);
      if (view === "overview" && done === planned) await show(true);
    }
    seen = progress.version;
  } catch (error) {
    badge.className = "live off";
    fill(badge, "not reached");
  }
  setTimeout(watch, document.hidden ? 5 * EVERY : EVERY);
}

/** Somebody is choosing or typing: what is under the hand is not replaced. */
function busy() {
  const here = document.activeElement;
  return here && ["INPUT", "SELECT", "TEXTAREA"].includes(here.tagName);
}

async function allNotes() {
  if (notes === null) notes = await ask("notes");
  return notes;
}

function noteOf(block, cell) {
  const host = el("div");
  const list = el("div.saved");
  const box = el("textarea", { placeholder: "A note on this reply", "aria-label": "note" });
  const misread = el("input", { type: "checkbox" });
  const told = el("span.quiet.small");
  const send = async () => {
    const entry = { key: block.key, task: cell.task, cell: cell.key, text: box.value, misread: misread.checked };
    try {
      const saved = await ask("notes", { method: "POST", headers: { "Content-Type": "application/json", "X-Trueness-Token": BOOK.token }, body: JSON.stringify(entry) });
      notes = null;
      box.value = "";
      fill(told, `Saved to ${saved.file}`);
      await drawNotes(list, block.key);
    } catch (error) {
      fill(told, error.message);
    }
  };
  append(host, [list, box, el("label.tick.small", null, misread, " misread: the reader took something else than the note says"),
    el("div.actions", null, el("button.plain", { type: "button", click: send }, "Save note"), el("a.plain", { href: "misread.jsonl", download: "misread.jsonl" }, "Misread replies with their notes"), told)]);
  const fold = el("details.note", null, el("summary.small", null, "Note or misread mark"), host);
  drawNotes(list, block.key).then((n) => { fold.open = n > 0; });
  return fold;
}

async function drawNotes(list, key) {
  const own = (await allNotes()).filter((note) => note.key === key);
  fill(list, own.map((note) => el("p", null, el("span.chip", null, note.misread ? "misread" : "note"), " ", note.text, " ", el("span.quiet.small", null, note.at))));
  return own.length;
}

function studySwitch() {
  if (!SERVED || BOOK.studies.length < 2) return null;
  const go = (event) => { location.href = `../${encodeURIComponent(event.target.value)}/`; };
  return el("select", { "aria-label": "study", change: go }, BOOK.studies.map((one) => el("option", { value: one.name, selected: one.name === BOOK.study }, one.problem ? `${one.name} (cannot be read)` : one.name)));
}
