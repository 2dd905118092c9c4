// True, learned, overlay. The K edges found most often are kept; F1 and SHD are counted here, as measures/graphs.py does.

async function showGraphs(main) {
  const tasks = BOOK.head.tasks.filter((task) => task.graphs.length);
  if (!tasks.length) {
    fill(main, el("h1", null, "Graphs"), el("p.notice", null, "This study has no learned graphs."));
    return;
  }
  const { settings } = state();
  const task = tasks.find((one) => one.task === settings.get("task")) || tasks[0];
  const item = task.graphs.includes(settings.get("item")) ? settings.get("item") : task.graphs[0];
  let found;
  try {
    found = await get(pathOf("graph", task.task, item));
  } catch (error) {
    fill(main, el("h1", null, "Graphs"), el("p.notice", null, error.message));
    return;
  }
  const names = Object.keys(found.learners);
  if (!names.length) {
    fill(main, el("h1", null, "Graphs"), el("p.notice", null, found.problem || "Nothing has been learned yet."));
    return;
  }
  const learner = names.includes(settings.get("learner")) ? settings.get("learner") : names[0];
  const again = () => { set({ k: "" }); showGraphs(main); };
  const host = el("div");
  fill(main, el("h1", null, "Graphs"),
    el("p.lead", null, "What is true, and which edges were found how often."),
    el("div.controls", null,
      tasks.length > 1 ? choice("Study part", "task", tasks.map((one) => [one.task, one.title]), task.task, again) : null,
      choice("Data set", "item", task.graphs.map((name) => [name, name]), item, again), choice("Learner", "learner", names.map((name) => [name, name]), learner, again)),
    found.problem ? el("p.notice", null, found.problem) : null, host);
  drawGraphPage(host, found, found.learners[learner], task.task);
}

function drawGraphPage(host, found, learned, task) {
  const wanted = state().settings;
  let view = ["true", "learned", "overlay"].includes(wanted.get("view")) ? wanted.get("view") : "overlay";
  const most = learned.edges.length;
  let k = wanted.get("k") ? Math.min(Number(wanted.get("k")), most) : Math.min(learned.typical, most);
  const canvas = el("div.canvas");
  const scores = el("div.scores", { "aria-live": "polite" });
  const label = el("label", { for: "k" });
  const list = el("div");
  const curve = el("div");
  const slider = el("input", { type: "range", id: "k", min: 0, max: most, value: k, input: (event) => { k = Number(event.target.value); set({ k }); draw(); } });
  const buttons = ["true", "learned", "overlay"].map((name) => el("button", { type: "button", "aria-pressed": String(name === view), click: (event) => {
    view = name;
    set({ view });
    for (const one of event.target.parentElement.children) one.setAttribute("aria-pressed", String(one === event.target));
    draw();
  } }, title(name)));
  const draw = () => {
    const kept = learned.edges.slice(0, k);
    const verdicts = judged(kept, learned.truth);
    fill(canvas, graphPicture(found, view, kept, learned, verdicts));
    fill(label, `K = ${k} of ${most} edges that were ever found`);
    fill(scores, scoresOf(kept, learned).map(([name, value, about]) => el("div", { title: about }, el("b", { "data-score": name }, number(value)), el("span", null, name))));
    fill(curve, curveOf(learned, k));
    fill(list, edgeList(found, kept, learned, verdicts));
  };
  fill(host, el("div.split", null,
    el("div", null, el("div.segments", { role: "group", "aria-label": "which graph" }, buttons), el("div.actions", null), canvas, keyOfVerdicts()),
    el("div", null,
      el("div.slider", null, label, slider),
      scores, curve,
      el("p.quiet.small", null, `${learned.n} runs gave a ${learned.kind}${learned.failed ? `, ${learned.failed} gave none` : ""}. An edge's score is the share of runs that have it with its most frequent marks. The median run has ${learned.typical} edges.`,
        ` F1 and SHD are against the true ${learned.kind}.`,
        learned.left_out ? ` ${number(learned.left_out)} rare edges are not shown.` : ""),
      el("p", null, el("a", { href: cellAddress(task, learned.key) }, "All measures of this cell")))), list);
  draw();
}

function judged(kept, truth) {
  const real = new Map(truth.map(([i, j, marks]) => [`${i},${j}`, marks]));
  return kept.map(([i, j, marks]) => {
    const right = real.get(`${i},${j}`);
    return right === undefined ? "extra" : right === marks ? "correct" : "wrong";
  });
}

function scoresOf(kept, learned) {
  const truth = learned.truth;
  if (!truth.length) return [["edges", kept.length, ""]];
  const correct = judged(kept, truth).filter((verdict) => verdict === "correct").length;
  const pairs = new Set([...kept, ...truth].map(([i, j]) => `${i},${j}`)).size;
  const ratio = (part, whole) => (whole ? part / whole : null);
  return [
    ["F1", ratio(2 * correct, kept.length + truth.length), "2 x correct / (edges kept + true edges)"],
    ["SHD", pairs - correct, "pairs whose marks differ"],
    ["precision", ratio(correct, kept.length), "correct / edges kept"],
    ["recall", ratio(correct, truth.length), "correct / true edges"],
  ];
}

/** F1 against K, with K marked. */
function curveOf(learned, k) {
  if (!learned.truth.length || !learned.edges.length) return null;
  const most = learned.edges.length;
  const verdicts = judged(learned.edges, learned.truth);
  let correct = 0;
  const points = [[0, 0]];
  verdicts.forEach((verdict, at) => {
    correct += verdict === "correct";
    points.push([at + 1, (2 * correct) / (at + 1 + learned.truth.length)]);
  });
  const x = (value) => 4 + (252 * value) / most;
  const y = (value) => 66 - 58 * value;
  const line = points.map(([at, f1], n) => `${n ? "L" : "M"}${x(at).toFixed(1)},${y(f1).toFixed(1)}`).join("");
  return svg("svg", { class: "curve", viewBox: "0 0 260 84", role: "img", "aria-label": "F1 against K" },
    svg("line", { x1: 4, x2: 256, y1: 66, y2: 66, stroke: "var(--line)" }),
    svg("path", { d: line, fill: "none", stroke: "var(--fill)", "stroke-width": 1.8 }),
    svg("line", { x1: x(k), x2: x(k), y1: 6, y2: 66, stroke: "var(--truth)", "stroke-width": 1 }),
    svg("circle", { cx: x(k), cy: y(points[k][1]), r: 3.4, fill: "var(--truth)" }),
    svg("text", { x: 4, y: 80, "font-size": 10, fill: "var(--soft)" }, "F1 as K grows"),
    svg("text", { x: 256, y: 80, "font-size": 10, fill: "var(--soft)", "text-anchor": "end" }, number(most)));
}

function keyOfVerdicts() {
  const names = { correct: "correct", wrong: "reversed or wrong mark", extra: "extra", lost: "missing" };
  return el("div.legend", null, Object.entries(names).map(([kind, text]) => el("span", null,
    svg("svg", { width: 30, height: 8, "aria-hidden": "true" }, svg("g", { class: `edge ${kind}` }, svg("path.line", { d: "M1,4 h28" }))), " ", text)));
}

function graphPicture(found, view, kept, learned, verdicts) {
  const drawn = [];
  if (view === "true") learned.truth.forEach(([i, j, marks]) => drawn.push([i, j, marks, "plain", 1, "true"]));
  else {
    kept.forEach(([i, j, marks, times], at) => drawn.push([i, j, marks, view === "overlay" && learned.truth.length ? verdicts[at] : "plain", times / learned.n, `in ${times} of ${learned.n} runs`]));
    if (view === "overlay") {
      const there = new Set(kept.map(([i, j]) => `${i},${j}`));
      learned.truth.filter(([i, j]) => !there.has(`${i},${j}`)).forEach(([i, j, marks]) => drawn.push([i, j, marks, "lost", 0.4, "true, not kept"]));
    }
  }
  const [wide, tall] = found.size;
  return svg("svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall, role: "img", "aria-label": `${view} graph, ${drawn.length} edges` },
    drawn.map((edge) => edgePicture(found, edge)), found.nodes.map((name, i) => nodePicture(name, found.boxes[i])));
}

function nodePicture(name, [x, y, wide]) {
  const label = name.length > 24 ? `${name.slice(0, 23)}…` : name;
  return svg("g", { class: "node" }, svg("title", null, name), svg("rect", { x: x - wide / 2, y: y - 15, width: wide, height: 30, rx: 7 }), svg("text", { x, y }, label));
}

function edgePicture(found, [i, j, marks, verdict, strength, about]) {
  const [a, b] = [found.boxes[i], found.boxes[j]];
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const far = Math.hypot(dx, dy) || 1;
  // an edge over several layers bends aside, so that it does not run behind the boxes between
  const bend = Math.abs(dy) > 140 || (Math.abs(dy) < 5 && Math.abs(dx) > 160) ? Math.min(60, 0.16 * far) : 0;
  const middle = [(a[0] + b[0]) / 2 - (dy / far) * bend, (a[1] + b[1]) / 2 + (dx / far) * bend];
  const [start, leave] = border(a, middle);
  const [end, arrive] = border(b, middle);
  const width = 1.1 + 1.9 * strength;
  const tips = [tip(marks[0], start, leave, width), tip(marks[marks.length - 1], end, arrive, width)];
  const line = `M${start.join()} Q${middle.map((v) => v.toFixed(1)).join()} ${end.join()}`;
  return svg("g", { class: `edge ${verdict}`, "--w": width.toFixed(2) }, svg("title", null, `${found.nodes[i]} ${marks} ${found.nodes[j]} (${about})`), svg("path.line", { d: line }), tips);
}

/** Where a line from the middle of a box towards a point leaves it, and its direction there. */
function border([x, y, wide], [px, py]) {
  const [dx, dy] = [px - x, py - y];
  const far = Math.hypot(dx, dy) || 1;
  const scale = Math.min((wide / 2 + 2) / (Math.abs(dx) || 1e-9), 17 / (Math.abs(dy) || 1e-9));
  return [[x + dx * scale, y + dy * scale].map((v) => Number(v.toFixed(1))), [dx / far, dy / far]];
}

function tip(mark, [x, y], [dx, dy], width) {
  const size = 6 + width;
  if (mark === "<" || mark === ">") {
    const [bx, by] = [x + dx * size * 1.4, y + dy * size * 1.4];
    const [wx, wy] = [-dy * size * 0.55, dx * size * 0.55];
    return svg("path.tip", { d: `M${x},${y} L${(bx + wx).toFixed(1)},${(by + wy).toFixed(1)} L${(bx - wx).toFixed(1)},${(by - wy).toFixed(1)} Z` });
  }
  return mark === "o" ? svg("circle", { cx: (x + dx * 4.5).toFixed(1), cy: (y + dy * 4.5).toFixed(1), r: 4 }) : null;
}

function edgeList(found, kept, learned, verdicts) {
  const words = { correct: "correct", wrong: "wrong mark", extra: "extra" };
  const rows = kept.map(([i, j, marks, times], at) => [at + 1, found.nodes[i], marks, found.nodes[j], times / learned.n, learned.truth.length ? words[verdicts[at]] : ""]);
  return rows.length ? [el("h2", null, "Edges kept"), dataTable({ columns: ["rank", "from", "mark", "to", "share of runs", "verdict"], rows, title: "" }, `edges_${found.item}`, 12)] : null;
}
