// Every test, table and sentence.

async function showAnalysis(main) {
  const found = await get("analysis");
  const parts = found.flatMap((task) => task.parts.map((part) => ({ ...part, task: task.task })));
  const id = (part) => `part-${part.task}-${part.name.replace(/\W+/g, "-")}`;
  const jump = (part) => (event) => { event.preventDefault(); document.getElementById(id(part)).scrollIntoView(); };
  fill(main, el("h1", null, "Analysis"),
    el("p.lead", null, "Estimate, interval, n, test and adjustment together; a p-value never stands alone."),
    parts.length ? el("ul.toc", null, parts.map((part) => el("li", null, el("a", { href: "#analysis", click: jump(part) }, title(part.name)), part.told ? null : el("span.quiet.small", null, " · cannot be told"))))
      : el("p.notice", null, "Nothing can be analysed yet."),
    parts.map((part) => el("section", { id: id(part) }, el("h2", null, title(part.name)),
      part.told ? sentences(part.sentences, 8) : el("p.notice", null, part.sentences.join(" ")),
      part.tables.map((table, k) => dataTable(table, `${part.task}_${part.name}_${k}`.replace(/\W+/g, "_"))))));
}
