// What is shown stands in the address: #matrix?task=NAME&measure=covers_mean&q=asia. A reload or a link shows it again.

function state() {
  const [view, query] = location.hash.replace(/^#/, "").split("?");
  return { view: view || "overview", settings: new URLSearchParams(query || "") };
}

function address(view, settings) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings || {})) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return `#${view}${text ? `?${text}` : ""}`;
}

/** Change settings of the view that is open, without a new entry in the history. */
function set(changes) {
  const { view, settings } = state();
  const all = Object.fromEntries(settings);
  history.replaceState(null, "", address(view, { ...all, ...changes }));
}

function cellAddress(task, key) {
  return address("cell", { task, item: key[0], variant: key[1], respondent: key[2] });
}

/** A labelled choice bound to a setting. */
function choice(label, name, options, value, change) {
  const box = el("select", { change: (event) => { set({ [name]: event.target.value }); change(); } },
    options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));
  return el("label", null, label, box);
}
