// One run on the page: its board, counters, source and tree. `show` sets them to a step.
const view = (() => {
  const make = (tag, name, text) => {
    const out = document.createElement(tag);
    if (name) out.className = name;
    if (text !== undefined) out.textContent = text;
    return out;
  };

  // Writes only what changes.
  const set = (element, key, value) => {
    if (element[key] !== value) element[key] = value;
  };

  const short = (value) => (value.length > 7 ? `${value.slice(0, 3)}\u2025${value.slice(-2)}` : value);

  const makeCell = (data, index) => {
    const cell = make("div", "cell");
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = -1;
    Object.assign(cell.dataset, data, {i: index});
    cell.append(make("span", "value", ""));
    return cell;
  };

  const makeGrid = (label, cells) => {
    const grid = make("div", "grid");
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", label);
    const row = make("div", "cells");
    row.setAttribute("role", "row");
    row.append(...cells);
    if (cells.length > 0) cells[0].tabIndex = 0;
    grid.append(row);
    return grid;
  };

  const makeSpace = (run, number, cells) => {
    const space = run.spaces[number];
    const box = make("div", space.block === undefined ? "space device" : "space shared");
    const head = make("p", "label", space.name);
    head.append(make("span", "type", `${space.type}, ${space.block === undefined ? "device" : "shared"} memory`));
    const own = space.numbers.map((index, i) => makeCell({space: number, cell: i}, index));
    own.forEach((cell, i) => cells.set(`${number}:${space.numbers[i]}`, cell));
    box.append(head, makeGrid(`${space.name}, ${own.length} cells`, own));
    return box;
  };

  const makeWarp = (block, warp, count, lanes) => {
    const box = make("div", "warp");
    const head = make("p", "label", `warp ${warp}`);
    const meets = make("span", "meets", "");
    head.append(meets);
    const own = Array.from({length: count}, (_, lane) => makeCell({block, thread: warp * 32 + lane}, lane));
    own.forEach((cell, lane) => lanes.set(`${block}:${warp * 32 + lane}`, cell));
    box.append(head, makeGrid(`lanes of warp ${warp} of block ${block}`, own));
    return {box, meets};
  };

  const makeLaunch = (run, number, cells) => {
    const launch = run.launches[number];
    const box = make("div", "launch");
    const lanes = new Map();
    const meets = new Map();
    const name = run.launches.length > 1 ? `launch ${number + 1} of ${run.launches.length}: ` : "";
    box.append(make("p", "label kernel", `${name}${launch.kernel}, ${launch.blocks} x ${launch.threads} threads`));
    const blocks = make("div", "blocks");
    for (let block = 0; block < launch.blocks; ++block) {
      const frame = make("div", "block");
      const head = make("p", "label", `block ${block}`);
      const bar = make("span", "meets", "");
      head.append(bar);
      meets.set(`${block}`, {frame, bar});
      frame.append(head);
      for (let warp = 0; warp * 32 < launch.threads; ++warp) {
        const made = makeWarp(block, warp, Math.min(32, launch.threads - warp * 32), lanes);
        meets.set(`${block}:${warp}`, {frame: made.box, bar: made.meets});
        frame.append(made.box);
      }
      run.spaces.forEach((space, i) => {
        if (space.block === block && space.launch === number) frame.append(makeSpace(run, i, cells));
      });
      blocks.append(frame);
    }
    box.append(blocks);
    return {box, lanes, meets};
  };

  const makeBoard = (run, id) => {
    const board = make("div", "board");
    const cells = new Map();
    const above = make("div", "memory");
    const below = make("div", "memory");
    run.spaces.forEach((space, i) => {
      if (space.block === undefined) (space.isRead ? above : below).append(makeSpace(run, i, cells));
    });
    const stack = make("div", "launches");
    const launches = run.launches.map((_, i) => makeLaunch(run, i, cells));
    launches.forEach((launch) => stack.append(launch.box));
    const layer = arrows.makeLayer(id);
    board.append(above, stack, below, layer);
    return {board, cells, launches, layer};
  };

  const words = /(\/\/.*$)|\b(template|class|const|auto|int|for|if|return|void|typename|__global__|__shared__|unsigned|bool|static_cast|while|else)\b/g;
  const codeLine = (text) => {
    const line = make("code");
    let from = 0;
    for (const match of text.matchAll(words)) {
      line.append(text.slice(from, match.index), make("span", match[1] ? "comment" : "word", match[0]));
      from = match.index + match[0].length;
    }
    line.append(text.slice(from));
    return line;
  };

  const makeSource = (run) => {
    const box = make("div", "source");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `source of ${run.name}`);
    const lines = new Map();
    run.sources.forEach((piece, number) => {
      box.append(make("p", "label", piece.file));
      const list = make("div", "lines");
      piece.lines.forEach((full, i) => {
        const text = full.replace(/^ {13,}/, "        ");  // arguments under their bracket
        const line = make("div", "line");
        line.append(make("span", "number", String(piece.first + i)), codeLine(text));
        lines.set(`${number}:${piece.first + i}`, line);
        list.append(line);
      });
      box.append(list);
    });
    if (run.sources.length === 0) {
      box.append(make("p", "none", "The lines are not known: the kernel was compiled without -g, or addr2line is missing."));
    }
    return {box, lines};
  };

  const counterNames = [["steps", "steps"], ["barriers", "barriers"], ["shuffles", "shuffles"],
    ["sectors", "32-byte sectors"], ["conflicts", "bank conflicts"], ["splits", "divergent branches"]];

  const makeCounters = () => {
    const list = make("dl", "counters");
    const out = {};
    for (const [key, name] of counterNames) {
      const pair = make("div");
      out[key] = make("dd", "", "0");
      pair.append(make("dt", "", name), out[key]);
      list.append(pair);
    }
    return {list, out};
  };

  const makeHead = (run) => {
    const head = make("div", "head");
    const title = make("h2", "");
    // A name may break behind an underline.
    run.name.split(/(?<=_)/).forEach((part) => title.append(part, make("wbr")));
    if (run.mistake) title.append(" ", make("span", "tag", "its mistake"));
    // A line that begins with code keeps its small letter.
    const text = run.mistake || run.title;
    const plain = text.replaceAll("`", "");
    const isCode = text.startsWith("`");
    head.append(title, make("p", "title", isCode ? plain : plain.charAt(0).toUpperCase() + plain.slice(1)));
    if (run.note) head.append(make("p", "note", run.note));
    return head;
  };

  const verdict = (run) => {
    if (run.problem) return {kind: "bad", text: `Stopped: ${run.problem.text}`};
    if (!run.wanted) return {kind: "good", text: run.result ? `The result is ${run.result}.` : "The end."};
    if (!run.result) return {kind: "bad", text: "There is no result: the call is refused."};
    if (run.result === run.wanted) return {kind: "good", text: `The result is ${run.result}: right.`};
    return {kind: "bad", text: `The result is ${run.result}: wrong. ${run.wanted} is right. ${model.faults(run)}`.trim()};
  };

  const placeText = (run, place) => (place ? ` (line ${place[1]})` : "");

  // What there is to say about a cell or a lane.
  const describe = (run, state, data) => {
    if (data.space !== undefined) {
      const space = run.spaces[data.space];
      const cell = state.spaces[data.space].cells[data.cell];
      const name = `${space.name}[${space.numbers[data.cell]}]`;
      const value = cell.value === "" ? "was not written yet" : `is ${cell.value}`;
      const by = cell.write ? `, written by thread ${cell.write.thread} of block ${cell.write.block} in step ${cell.write.step + 1}${placeText(run, cell.write.place)}` : "";
      const items = cell.items.length > 0 ? `; in it: ${cell.items.length > 1 ? "items" : "item"} ${cell.items.join(" ")}` : "";
      const reads = [...new Set(cell.reads.map((read) => read.thread))];
      const read = reads.length > 0 ? `; read since by thread ${reads.slice(0, 8).join(", ")}${reads.length > 8 ? " and others" : ""}` : "";
      return `${name} ${value}${by}${items}${read}.`;
    }
    const lane = state.lanes.get(`${data.block}:${data.thread}`);
    const name = `Thread ${data.thread} of block ${data.block} (warp ${Math.floor(data.thread / 32)}, lane ${data.thread % 32})`;
    if (!lane) return `${name} has done nothing yet.`;
    const waits = lane.waits ? ` It waits at ${lane.waits}.` : "";
    return `${name}: the last value that it read, wrote or got is ${lane.value || "none"}.${waits}`;
  };

  return {make, set, short, makeBoard, makeSource, makeCounters, makeHead, verdict, describe};
})();
