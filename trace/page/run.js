// A run and its place on the page: what changes from step to step.
const makeRun = (run, id) => {
  const {make, set} = view;
  model.expand(run);
  const section = make("section", "run");
  section.setAttribute("aria-label", run.name);
  const {board, cells, launches, layer} = view.makeBoard(run, id);
  const {box: source, lines} = view.makeSource(run);
  const {list, out: counters} = view.makeCounters();
  const caption = make("p", "caption", "");
  const verdict = make("p", "verdict", "");
  const details = make("output", "details", "Click on a cell or a lane.");
  const built = tree.build(run);
  const {drawing, show: showTree, order} = tree.draw(built);
  const whole = make("p", "whole", "");
  const figure = make("figure", "met");
  const isTree = built.tops.length > 0;
  figure.append(make("figcaption", "", isTree ? "Who has met whom" : ""), whole);
  if (isTree) {
    figure.append(drawing);
    const leaves = make("p", `leaves${order.length > 64 ? " many" : ""}`);
    leaves.setAttribute("aria-label", `items in the order in which they meet: ${order.join(" ")}`);
    leaves.append(...order.map((item) => make("span", "", String(item))));
    if (order.length <= 64) figure.append(leaves);
  }
  const side = make("div", "side");
  side.append(source, details);
  const main = make("div", "stage");
  main.append(caption, board, verdict, figure);
  const columns = make("div", "columns");
  columns.append(main, side);
  section.append(view.makeHead(run), list, columns);
  const length = run.steps.length;
  const ending = view.verdict(run);
  const clash = model.clash(run);
  const accessText = ({part, thread, step}) => `thread ${thread} ${part.k}s it in step ${step + 1}${part.p ? ` (line ${part.p[1]})` : ""}`;
  const endingText = clash && clash.early
    ? `${ending.text}. Both accesses: ${accessText(clash.early)}; ${accessText(clash.late)}.` : ending.text;
  let state = null;
  let count = 0;
  let chosen = null;

  const showCells = () => {
    state.spaces.forEach((space, number) => {
      const {name, numbers} = run.spaces[number];
      space.cells.forEach((cell, i) => {
        const element = cells.get(`${number}:${numbers[i]}`);
        if (!element) return;
        const text = view.short(cell.value);
        set(element.firstChild, "textContent", text);
        const isNew = cell.write && cell.write.step === count - 1;
        const isRead = cell.reads.some((read) => read.step === count - 1);
        set(element, "className", `cell${isNew ? " written" : ""}${isRead ? " isread" : ""}${cell.value === "" ? " unset" : ""} size${Math.min(7, text.length)}`);
        const label = `${name} ${numbers[i]}: ${cell.value || "unset"}`;
        if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
      });
    });
  };

  const showLanes = () => {
    launches.forEach((launch, number) => {
      set(launch.box.style, "visibility", number === state.launch ? "visible" : "hidden");
      if (number !== state.launch) return;
      for (const [key, element] of launch.lanes) {
        const lane = state.lanes.get(key);
        const text = lane ? view.short(lane.value) : "";
        set(element.firstChild, "textContent", text);
        const kind = lane && lane.active ? ` on ${lane.active}` : lane && lane.waits ? " waits" : "";
        set(element, "className", `cell lane${kind} size${Math.min(7, text.length)}`);
        const label = `thread ${key.split(":")[1]}: ${lane && lane.value || "nothing yet"}${lane && lane.waits ? ", waits" : lane && lane.active ? ", active" : ""}`;
        if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
      }
      for (const [key, {frame, bar}] of launch.meets) {
        const part = state.parts.find((own) => ["warp", "block", "cluster"].includes(own.k)
          && key === (own.w === undefined ? `${own.b}` : `${own.b}:${own.w}`));
        set(bar, "textContent", part ? part.m : "");
        frame.classList.toggle("meeting", Boolean(part));
      }
    });
  };

  const linksOf = (part, kind) => {
    const launch = launches[state.launch];
    const links = [];
    part.lanes.forEach((lane, at) => {
      const own = launch.lanes.get(`${part.b}:${model.threadOf(part, lane)}`);
      if (part.s !== undefined) {
        const cell = cells.get(`${part.s}:${part.cells[at]}`);
        if (own && cell) links.push(part.k === "read" ? {from: cell, to: own, kind} : {from: own, to: cell, kind});
      } else if (part.f && part.from[at] !== lane) {
        const other = launch.lanes.get(`${part.b}:${part.w * 32 + part.from[at]}`);
        if (own && other) links.push({from: other, to: own, kind});
      }
    });
    return links;
  };

  const showArrows = () => {
    const links = state.parts.flatMap((part) => linksOf(part, part.s !== undefined ? part.k : "meet"));
    if (clash && clash.early && count === length) {
      for (const {part, thread} of [clash.early, clash.late]) {
        const at = part.lanes.indexOf(thread % 32);
        links.push(...linksOf({...part, lanes: [part.lanes[at]], cells: [part.cells[at]]}, "wrong"));
      }
    }
    arrows.draw(layer, board, links);
  };

  // The line that a step begins with, or the last one before it that is known.
  const lineBefore = () => {
    for (let number = count - 1; number >= 0; --number) {
      const part = run.steps[number].find((own) => own.p && lines.has(own.p.join(":")));
      if (part) return lines.get(part.p.join(":"));
    }
    return null;
  };

  const showSource = () => {
    const running = new Set(state.parts.filter((part) => part.p).map((part) => part.p.join(":")));
    for (const [key, line] of lines) line.classList.toggle("running", running.has(key));
    // Half a pane at a time, by where the line stands alone: the same from both sides.
    const half = source.clientHeight / 2;
    const first = lineBefore();
    const top = first ? Math.max(0, Math.floor((first.offsetTop - half / 2) / half) * half) : 0;
    set(source, "scrollTop", top);
  };

  const showEnd = () => {
    const isEnd = count >= length;
    set(verdict, "textContent", isEnd ? endingText : "");
    set(verdict, "className", `verdict${isEnd ? ` ${ending.kind}` : ""}`);
    launches.forEach((launch) => launch.lanes.forEach((element, key) => {
      const isWrong = isEnd && run.problem && [run.problem.thread, run.problem.other]
        .some((thread) => key === `${run.problem.block}:${thread}`);
      element.classList.toggle("culprit", Boolean(isWrong));
    }));
  };

  // Room for the last words, so that nothing moves when they come.
  const reserve = () => {
    const [now, name] = [verdict.textContent, verdict.className];
    set(verdict.style, "minHeight", "0");
    set(verdict, "textContent", endingText);
    set(verdict, "className", `verdict ${ending.kind}`);
    const {height} = verdict.getBoundingClientRect();
    set(verdict, "textContent", now);
    set(verdict, "className", name);
    set(verdict.style, "minHeight", `${height}px`);
  };

  const show = (wanted) => {
    count = Math.max(0, Math.min(wanted, length));
    state = model.stateAt(run, count);
    showCells();
    showLanes();
    showSource();
    showTree(count);
    for (const [key, value] of Object.entries({...state.counts, steps: count})) set(counters[key], "textContent", String(value));
    set(caption, "textContent", model.caption(run, count));
    set(whole, "textContent", state.whole ? `${new Set(state.whole.items).size} of ${run.items} items are in ${state.whole.value}` : "\u00a0");
    if (chosen) set(details, "textContent", view.describe(run, state, chosen.dataset));
    showEnd();
    showArrows();
    return {caption: caption.textContent, end: verdict.textContent};
  };

  section.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    if (chosen) chosen.removeAttribute("aria-selected");
    chosen = cell;
    cell.setAttribute("aria-selected", "true");
    set(details, "textContent", view.describe(run, state, cell.dataset));
  });

  const resize = () => {
    reserve();
    if (state) showArrows();
  };

  return {section, length, show, resize};
};
