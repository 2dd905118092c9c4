// Where data come from: the file itself, or the program that serves it. A path names the same thing in both.

const BOOK = JSON.parse(document.getElementById("document").textContent);
const SERVED = BOOK.served;
const kept = new Map();

function pathOf(...parts) {
  return parts.map(encodeURIComponent).join("/");
}

/** The data of a path. What a file does not hold is an error that says how to see it. */
async function get(path, fresh = false) {
  if (!SERVED) {
    if (path in BOOK.data) return BOOK.data[path];
    throw new Error(`This file holds a sample: ${BOOK.sample} See it all: trueness view ${BOOK.head.folder}`);
  }
  if (!fresh && kept.has(path)) return kept.get(path);
  const promise = ask(`data/${path}`);
  kept.set(path, promise);
  promise.catch(() => kept.delete(path));
  return promise;
}

async function ask(url, options) {
  const answer = await fetch(url, { cache: "no-store", ...options });
  const found = await answer.json().catch(() => ({ error: `The program answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(found.error || `The program answered ${answer.status}.`);
  return found;
}

/** Something new was committed: what was kept is old. */
function forget() {
  kept.clear();
}

function taskOf(name) {
  return BOOK.head.tasks.find((task) => task.task === name);
}
