// Who has met whom: a tree over the items, made of the values that lanes wrote and got.
const tree = (() => {
  const keyOf = (items) => items.join(",");

  // Sets of `found` that fit into `items` and do not overlap: the largest first.
  const childrenOf = (items, found) => {
    const left = new Set(items);
    const children = [];
    const sorted = [...found].sort((a, b) => b.items.length - a.items.length);
    for (const node of sorted) {
      if (node.items.length >= items.length || !node.items.every((item) => left.has(item))) continue;
      node.items.forEach((item) => left.delete(item));
      children.push(node);
    }
    return {children, left: [...left]};
  };

  const build = (run) => {
    const nodes = new Map();
    const lanes = new Map();
    const roots = new Map();
    const leaf = (item) => {
      const key = String(item);
      if (!nodes.has(key)) nodes.set(key, {items: [item], step: 0, children: [], level: 0});
      return nodes.get(key);
    };
    const nodeOf = (items, step, found) => {
      const unique = [...new Set(items)].sort((a, b) => a - b);
      if (unique.length === 1) return leaf(unique[0]);
      const key = keyOf(unique);
      if (nodes.has(key)) return nodes.get(key);
      const {children, left} = childrenOf(unique, found);
      const all = [...children, ...left.map(leaf)];
      const level = 1 + Math.max(...all.map((node) => node.level));
      const node = {items: unique, step, children: all, level, isTwice: unique.length < items.length};
      nodes.set(key, node);
      return node;
    };
    run.steps.forEach((step, number) => {
      const sent = [];
      for (const part of step) {
        part.lanes.forEach((lane, at) => {
          const items = part.sets[at];
          if (items.length === 0) return;
          const key = `${run.launchOf(number)}:${part.b}:${model.threadOf(part, lane)}`;
          if (!lanes.has(key)) lanes.set(key, {inputs: [], own: null});
          const own = lanes.get(key);
          if (part.k === "read") {
            own.inputs.push(nodeOf(items, number, []));
          } else if (part.s !== undefined) {
            const node = nodeOf(items, number, own.own ? [...own.inputs, own.own] : own.inputs);
            own.own = node;
            own.inputs = [];
            if (run.spaces[part.s].name === "results") roots.set(node, number);
          } else {
            sent.push({own, got: nodeOf(items, number, own.own ? [...own.inputs, own.own] : own.inputs)});
          }
        });
      }
      for (const {own, got} of sent) {
        const mine = [...new Set(own.inputs.flatMap((node) => node.items))];
        if (!own.own && mine.length > 0) own.own = nodeOf(mine, number, own.inputs);
        own.inputs = [];
        const known = own.own ? own.own.items : [];
        const isNew = got.items.some((item) => !known.includes(item));
        if (isNew) own.own = nodeOf([...new Set([...known, ...got.items])], number, own.own ? [own.own, got] : [got]);
      }
    });
    let tops = [...roots.keys()].filter((node) => node.children.length > 0);
    if (tops.length === 0) {
      const sorted = [...nodes.values()].sort((a, b) => b.items.length - a.items.length);
      const taken = new Set();
      for (const node of sorted) {
        if (node.items.length < 2 || node.items.some((item) => taken.has(item))) continue;
        node.items.forEach((item) => taken.add(item));
        tops.push(node);
      }
    }
    const largest = Math.max(0, ...tops.map((node) => node.items.length));
    tops = tops.filter((node) => node.items.length * 4 >= largest);
    return {tops, levels: Math.max(0, ...tops.map((node) => node.level))};
  };

  const svg = "http://www.w3.org/2000/svg";
  const element = (name, attributes) => {
    const out = document.createElementNS(svg, name);
    for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
    return out;
  };

  // Leaves in the order of the tree, so that no line crosses another: items in their own order are a
  // rung that keeps it.
  const leavesOf = (tops) => {
    const leaves = [];
    const seen = new Set();
    const visit = (node) => {
      if (seen.has(node)) return;
      seen.add(node);
      if (node.children.length === 0) leaves.push(node);
      [...node.children].sort((a, b) => a.items[0] - b.items[0]).forEach(visit);
    };
    [...tops].sort((a, b) => a.items[0] - b.items[0]).forEach(visit);
    return leaves;
  };

  const point = (place) => `${place.x.toFixed(1)} ${place.y.toFixed(1)}`;

  // Draws it once; `show` then says up to which step it has grown.
  const draw = (built) => {
    const width = 1000;
    const row = Math.max(14, Math.min(34, 200 / (built.levels + 1)));
    const height = (built.levels + 1) * row;
    const drawing = element("svg", {viewBox: `0 0 ${width} ${height}`, class: "tree", "aria-hidden": "true",
      preserveAspectRatio: "none"});
    drawing.style.height = `${height}px`;
    const leaves = leavesOf(built.tops);
    const marks = [];
    const places = new Map();
    leaves.forEach((leaf, i) => places.set(leaf, {x: (i + 0.5) * width / leaves.length, y: height - 6}));
    const add = (path, name, step) => {
      const mark = element("path", {d: path, class: name, "vector-effect": "non-scaling-stroke"});
      drawing.append(mark);
      marks.push({mark, step});
    };
    const place = (node) => {
      if (places.has(node)) return places.get(node);
      const from = node.children.map(place);
      const to = {x: from.reduce((sum, at) => sum + at.x, 0) / from.length, y: height - 6 - node.level * row};
      places.set(node, to);
      const middle = (at) => ({x: at.x, y: to.y + row / 2});
      from.forEach((at) => add(`M${point(at)}L${point(middle(at))}L${to.x.toFixed(1)} ${(to.y + row / 2).toFixed(1)}L${point(to)}`, "edge", node.step));
      add(`M${point(to)}h0`, "dot", node.step);
      return to;
    };
    built.tops.forEach(place);
    leaves.forEach((leaf) => add(`M${point(places.get(leaf))}h0`, "dot", -1));
    const show = (count) => {
      for (const {mark, step} of marks) {
        mark.classList.toggle("met", step < count);
        mark.classList.toggle("new", step === count - 1);
      }
    };
    return {drawing, show, order: leaves.map((leaf) => leaf.items[0])};
  };

  return {build, draw};
})();
