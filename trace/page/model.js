// From the document to what is seen at a step. A state is made from the first step on each time, so
// that it is the same from whichever side one comes to it.
const model = (() => {
  const numbersOf = (text) => {
    const out = [];
    if (!text) return out;
    for (const run of text.split(",")) {
      const parts = /^(-?\d+)(?:-(\d+)(?:\/(\d+))?)?(?:\*(\d+))?$/.exec(run);
      const first = Number(parts[1]);
      const last = parts[2] === undefined ? first : Number(parts[2]);
      const stride = Number(parts[3] || 1);
      const times = Number(parts[4] || 1);
      for (let at = first; at <= last; at += stride) for (let i = 0; i < times; ++i) out.push(at);
    }
    return out;
  };

  const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
  const ofLetters = (word) => [...word].map((letter) => alphabet.indexOf(letter)).filter((item) => item >= 0);

  // The items in the value of one lane's part: those said, or the letters of a word.
  const itemsOf = (run, part, at) => {
    if (part.i) return numbersOf(part.i[at]);
    if (run.operation !== "letters" || !part.v) return [];
    const type = part.s === undefined ? "letters" : run.spaces[part.s].type;
    return type === "letters" || type === "letter" ? ofLetters(part.v[at] || "") : [];
  };

  const expand = (run) => {
    for (const step of run.steps) {
      for (const part of step) {
        part.lanes = numbersOf(part.l);
        part.cells = numbersOf(part.c);
        part.from = numbersOf(part.f);
        part.each = part.n || 1;
        part.sets = part.lanes.map((_, at) => itemsOf(run, part, at));
      }
    }
    for (const space of run.spaces) {
      space.numbers = numbersOf(space.cells);
      space.at = new Map(space.numbers.map((number, i) => [number, i]));
    }
    // Memory that is read before anything is written to it lies above the kernel.
    for (const part of run.steps.flat()) {
      const space = run.spaces[part.s];
      if (space && space.isRead === undefined) space.isRead = part.k === "read";
    }
    run.launchOf = (step) => {
      let found = 0;
      run.launches.forEach((launch, i) => {
        if (launch.step <= step) found = i;
      });
      return found;
    };
    return run;
  };

  const threadOf = (part, lane) => part.w * 32 + lane;

  const blank = (run) => ({
    spaces: run.spaces.map((space) => ({
      cells: space.numbers.map((number, i) => ({
        value: space.before && space.before[i] !== undefined ? space.before[i] : "",
        items: space.before && space.name === "items" ? [number] : [],
        write: null,
        reads: [],
      })),
    })),
    lanes: new Map(),
    counts: {barriers: 0, shuffles: 0, sectors: 0, conflicts: 0, splits: 0},
    parts: [],
    launch: 0,
    whole: null,
  });

  const laneOf = (state, block, thread) => {
    const key = `${block}:${thread}`;
    if (!state.lanes.has(key)) state.lanes.set(key, {value: "", waits: "", active: ""});
    return state.lanes.get(key);
  };

  const takeAccess = (run, state, part, number) => {
    const cells = state.spaces[part.s].cells;
    const {at: placeOf} = run.spaces[part.s];
    part.lanes.forEach((lane, at) => {
      const own = laneOf(state, part.b, threadOf(part, lane));
      own.active = part.k;
      for (let i = 0; i < part.each; ++i) {
        const cell = cells[placeOf.get(part.cells[at] + i)];
        const value = part.v[at * part.each + i];
        if (value === undefined || !cell) continue;
        own.value = value;
        const who = {block: part.b, thread: threadOf(part, lane), step: number, place: part.p, kind: part.k};
        if (part.k === "read") {
          cell.reads.push(who);
        } else {
          cell.value = value;
          cell.write = who;
          cell.reads = [];
          cell.items = part.sets[at];
        }
      }
    });
  };

  const takeMeeting = (state, part) => {
    const isBlock = part.k === "block" || part.k === "cluster";
    for (const [key, lane] of state.lanes) {
      const [block, thread] = key.split(":").map(Number);
      const isHere = isBlock ? block === part.b
        : block === part.b && Math.floor(thread / 32) === part.w && part.lanes.includes(thread % 32);
      if (isHere) lane.waits = "";
    }
    part.lanes.forEach((lane, at) => {
      const own = laneOf(state, part.b, threadOf(part, lane));
      own.active = "meet";
      if (part.v) own.value = part.v[at];
    });
  };

  const takeCounts = (counts, part) => {
    if (part.k === "block" || part.k === "cluster" || part.m === "__syncwarp" && part.k === "warp") counts.barriers += 1;
    if (part.f) counts.shuffles += 1;
    counts.sectors += part.t || 0;
    counts.conflicts += part.x || 0;
    counts.splits += part.d || 0;
  };

  const takeWhole = (state, part) => {
    part.sets.forEach((items, at) => {
      const value = part.v && part.v[at * part.each];
      if (items.length === 0 || value === undefined) return;
      if (!state.whole || items.length > state.whole.items.length) state.whole = {items, value};
    });
  };

  // What is seen behind `count` steps.
  const stateAt = (run, count) => {
    const state = blank(run);
    const end = Math.min(count, run.steps.length);
    for (let number = 0; number < end; ++number) {
      const launch = run.launchOf(number);
      if (launch !== state.launch) {
        state.launch = launch;
        state.lanes.clear();
      }
      for (const lane of state.lanes.values()) lane.active = "";
      for (const part of run.steps[number]) {
        takeCounts(state.counts, part);
        if (part.s !== undefined) takeAccess(run, state, part, number);
        else if (part.k === "arrive") {
          for (const lane of part.lanes) {
            const own = laneOf(state, part.b, threadOf(part, lane));
            own.waits = part.m;
            own.active = "arrive";
          }
        } else takeMeeting(state, part);
        takeWhole(state, part);
      }
      state.parts = run.steps[number];
    }
    return state;
  };

  const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

  // Numbers in ascending order as runs; of many runs only how many numbers there are.
  const runsOf = (numbers) => {
    const runs = [];
    numbers.forEach((number) => {
      const last = runs[runs.length - 1];
      if (last && number === last[1] + 1) last[1] = number;
      else runs.push([number, number]);
    });
    if (runs.length > 4) return `${numbers.length} items are`;
    const texts = runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
    return `${numbers.length === 1 ? "Item" : "Items"} ${texts.join(", ")} ${numbers.length === 1 ? "is" : "are"}`;
  };

  // The items that are missing from a wrong result, or in it more than once, as far as that is known.
  const faults = (run) => {
    const number = run.spaces.findIndex((space) => space.name === "results");
    const count = run.result.split(", ").length;
    const cells = number < 0 ? [] : stateAt(run, run.steps.length).spaces[number].cells
      .filter((cell, i) => run.spaces[number].numbers[i] < count && cell.write);
    if (cells.length === 0) return "No kernel wrote it.";
    const times = new Array(run.items).fill(0);
    cells.flatMap((cell) => cell.items).forEach((item) => {
      times[item] += 1;
    });
    const numbers = [...times.keys()];
    const missing = numbers.filter((item) => times[item] === 0);
    const again = numbers.filter((item) => times[item] > 1);
    if (missing.length === run.items) return "";
    return [missing.length > 0 ? `${runsOf(missing)} missing.` : "", again.length > 0 ? `${runsOf(again)} in it more than once.` : ""]
      .filter(Boolean).join(" ");
  };

  const verbs = {read: ["read", "reads"], write: ["write", "writes"], atomic: ["change at once", "changes at once"]};

  // One sentence for one part.
  const sentence = (run, part) => {
    const who = part.w === undefined ? `block ${part.b}` : `block ${part.b}, warp ${part.w}`;
    const lanes = part.l && part.lanes.length > 1 ? `lanes ${part.l}` : `lane ${part.l}`;
    if (part.s !== undefined) {
      const space = run.spaces[part.s];
      const cells = part.each > 1 ? `${part.c}, ${part.each} of each` : part.c;
      return `${who}: ${lanes} ${verbs[part.k][part.lanes.length > 1 ? 0 : 1]} ${space.name}[${cells}]`;
    }
    if (part.k === "arrive") return `${who}: ${lanes} at ${part.m}, waiting`;
    if (part.w === undefined) return `${who}: all threads have met at ${part.m}`;
    return `${who}: ${lanes} met in ${part.m}`;
  };

  const caption = (run, count) => {
    if (count === 0) {
      const launch = run.launches[0];
      return launch ? `${plural(launch.blocks, "block", "blocks")} of ${launch.threads} threads start ${launch.kernel}.` : "";
    }
    const parts = run.steps[Math.min(count, run.steps.length) - 1];
    const said = parts.slice(0, 2).map((part) => sentence(run, part)).join("; ");
    return `${said}${parts.length > 2 ? `; and ${plural(parts.length - 2, "more warp", "more warps")}` : ""}.`;
  };

  // Both accesses of a run that was stopped, the one that was there first found by its cell.
  const clash = (run) => {
    if (!run.problem || run.steps.length === 0) return null;
    const {block, thread, other} = run.problem;
    const isOf = (part, who) => part.b === block && part.w === Math.floor(who / 32) && part.lanes.includes(who % 32);
    const cellOf = (part, who) => part.cells[part.lanes.indexOf(who % 32)];
    let late = null;
    for (let number = run.steps.length - 1; number >= 0 && !late; --number) {
      for (const part of run.steps[number]) if (isOf(part, thread)) late = {step: number, part, thread};
    }
    if (!late || other < 0 || late.part.s === undefined) return {late, early: null};
    const cell = cellOf(late.part, thread);
    // The whole run of cells may be larger than what clashed: the nearest access of the other thread.
    let early = null;
    for (let number = late.step; number >= 0 && !early; --number) {
      for (const part of run.steps[number]) {
        const isCell = part.s === late.part.s && isOf(part, other);
        if (isCell && (cellOf(part, other) === cell || late.part.k !== "read" || part.k !== "read")) {
          early = {step: number, part, thread: other};
        }
      }
    }
    return {late, early};
  };

  return {expand, stateAt, caption, clash, faults, numbersOf, threadOf};
})();
