// Arrows over a board: from the cell that is read to the lane, from the lane to the cell that it writes.
const arrows = (() => {
  const svg = "http://www.w3.org/2000/svg";

  const middle = (element, frame) => {
    const box = element.getBoundingClientRect();
    return {x: box.left - frame.left + box.width / 2, y: box.top - frame.top + box.height / 2, half: box.height / 2};
  };

  const path = (from, to, kind) => {
    const out = document.createElementNS(svg, "path");
    const down = to.y > from.y;
    const y1 = from.y + (down ? from.half : -from.half);
    const y2 = to.y - (down ? to.half : -to.half);
    let d = `M${from.x.toFixed(1)} ${y1.toFixed(1)}L${to.x.toFixed(1)} ${y2.toFixed(1)}`;
    if (Math.abs(to.y - from.y) < 4) {
      // In one row: an arc above it.
      const top = from.y - from.half - 6 - Math.min(26, Math.abs(to.x - from.x) / 8);
      d = `M${from.x.toFixed(1)} ${(from.y - from.half).toFixed(1)}Q${((from.x + to.x) / 2).toFixed(1)} ${top.toFixed(1)} ${to.x.toFixed(1)} ${(to.y - to.half).toFixed(1)}`;
    }
    out.setAttribute("d", d);
    out.setAttribute("class", `arrow ${kind}`);
    out.setAttribute("marker-end", `url(#head-${kind})`);
    return out;
  };

  const makeLayer = (id) => {
    const layer = document.createElementNS(svg, "svg");
    layer.setAttribute("class", "arrows");
    layer.setAttribute("aria-hidden", "true");
    const heads = document.createElementNS(svg, "defs");
    for (const kind of ["read", "write", "atomic", "meet", "wrong"]) {
      const head = document.createElementNS(svg, "marker");
      for (const [name, value] of Object.entries({id: `head-${kind}`, viewBox: "0 0 6 6", refX: 5, refY: 3,
        markerWidth: 5, markerHeight: 5, orient: "auto"})) head.setAttribute(name, value);
      head.setAttribute("class", `head ${kind}`);
      const shape = document.createElementNS(svg, "path");
      shape.setAttribute("d", "M0 0L6 3L0 6z");
      head.append(shape);
      heads.append(head);
    }
    // One set of heads a page: identifiers are the document's.
    if (id === 0) layer.append(heads);
    return layer;
  };

  // links: {from, to, kind}, elements of the board.
  const draw = (layer, board, links) => {
    const frame = board.getBoundingClientRect();
    layer.querySelectorAll(".arrow").forEach((old) => old.remove());
    layer.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    layer.append(...links.map(({from, to, kind}) => path(middle(from, frame), middle(to, frame), kind)));
  };

  return {makeLayer, draw};
})();
