// Charts, each with its numbers, its PDF and PNG, and the line of Python that makes it.

async function showFigures(main) {
  const found = await get("figures");
  fill(main, el("h1", null, "Charts"),
    found.length ? found.map((figure) => [el("h2", null, title(figure.title)), figureOf(figure)])
      : el("p.notice", null, "No chart has been drawn yet. ", el("code", null, `trueness report ${BOOK.head.folder}`), " draws them."));
}

function figureOf(figure) {
  const source = `data:image/svg+xml,${encodeURIComponent(figure.svg)}`;
  const wide = /<svg[^>]*?\swidth="([\d.]+)/.exec(figure.svg);
  const image = el("img", { src: source, alt: figure.caption || figure.title, width: wide ? Math.round(2 * wide[1]) : null });
  const code = figure.python ? el("details", null, el("summary", null, "Python"), el("code.code", null, figure.python)) : null;
  return el("figure", { id: `figure-${figure.name}` }, el("div.drawn", { tabindex: "0" }, image),
    figure.caption ? el("figcaption", null, figure.caption) : null,
    el("div.actions", null,
      figure.csv ? saveButton("Data (CSV)", `${figure.name}.csv`, () => figure.csv, "text/csv") : null,
      pdfLink(figure),
      el("button.plain", { type: "button", click: () => savePng(figure) }, "PNG"),
      saveButton("SVG", `${figure.name}.svg`, () => figure.svg, "image/svg+xml")),
    code);
}

function pdfLink(figure) {
  if (figure.pdf) return saveButton("PDF", `${figure.name}.pdf`, () => new Blob([bytesOf(figure.pdf)], { type: "application/pdf" }));
  return figure.files.pdf ? el("a.plain", { href: SERVED ? `files/${figure.files.pdf}` : figure.files.pdf, download: `${figure.name}.pdf` }, "PDF") : null;
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** Drawn from the SVG at three times its size, on white. */
function savePng(figure) {
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas", { width: 3 * image.naturalWidth, height: 3 * image.naturalHeight });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${figure.name}.png`, blob), "image/png");
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(figure.svg.replace(/<style>@media[^<]*<\/style>/, ""))}`;
}
