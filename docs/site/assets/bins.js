// The page on which one types numbers and watches them enter the bins.
(() => {
  const place = document.getElementById("typed");
  if (!place) return;
  const byId = (id) => document.getElementById(id);
  const limbs = 34;
  const counted = ["numbers", "NaN", "+∞", "−∞", "−0"];
  let library = null;  // docs/site/bins.cpp
  let numbers = [];
  let cells = [];  // of the table, that the numbers enter; empty: bins hold them
  let step = 0;

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const textOf = (x) => (Object.is(x, -0) ? "-0" : String(x));
  const hex = (limb) => limb.toString(16).padStart(16, "0");

  // What was added, or has entered, last: bytes of a saved state, limbs and then counts.
  const stateBytes = () => new Uint8Array(library.memory.buffer, library.state(), library.state_bytes()).slice();
  const words = (bytes) => [...new BigUint64Array(bytes.buffer)];

  const cellOf = (index) => {
    const group = index % (library.cells() / 2);
    return {index, low: 4 * group - 1023, unit: 4 * group - 1075, isNegative: index !== group,
      units: (library.carries(index) << 64n) + BigInt.asUintN(64, library.cell(index))};
  };
  const usedCells = () => (library.bins() > 0 ? [] : Array.from({length: library.cells()}, (_, i) => cellOf(i))
    .filter(({units}) => units !== 0n));
  const binOf = (k) => ({e: library.exponent(k), units: library.units(k), entered: library.entered(k)});
  const bins = () => Array.from({length: library.bins()}, (_, k) => binOf(k));

  // The highest and the lowest binary place of a number's bits; null: it has none.
  const placesOf = (x) => {
    if (x === 0 || !Number.isFinite(x)) return null;
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    const field = view.getUint16(0) >> 4 & 0x7ff;
    const significand = (view.getBigUint64(0) & (1n << 52n) - 1n) + (field > 0 ? 1n << 52n : 0n);
    const bits = significand.toString(2);
    const high = Math.max(field, 1) - 1075 + bits.length - 1;
    return [high, high - bits.lastIndexOf("1")];
  };

  const read = () => {
    const typed = byId("numbers").value.split(/[\s,;]+/).filter((word) => word);
    const special = {nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity};
    const values = typed.map((word) => {
      const lower = word.toLowerCase();
      if (lower in special) return special[lower];
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(lower) ? Number(word) : null;
    });
    const wrong = values.indexOf(null);
    if (wrong >= 0) return `“${typed[wrong].slice(0, 40)}” is not a number.`;
    if (values.length > library.most()) return `Up to ${library.most()} numbers; found ${values.length}.`;
    numbers = values;
    return "";
  };

  const tableOf = (heads, rows) => {
    const table = make("table", "binned");
    const head = make("tr");
    heads.forEach((text) => {
      const cell = make("th", "", text);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    rows.forEach(({isNew, texts: [first, unit, entered, units]}) => {
      const row = make("tr", isNew ? "new" : "");
      const name = make("th", "", first);
      name.scope = "row";
      row.append(name, make("td", "", unit), make("td", "in", entered), make("td", "units", units));
      body.append(row);
    });
    table.append(top, body);
    return table;
  };

  const showBins = (now) => {
    const rows = bins().map(({e, units, entered}) => ({isNew: entered !== 0,
      texts: [`1.5 · 2^${e}`, `2^${e - 52}`, now === undefined ? "" : textOf(entered), units.toString()]}));
    byId("bins").replaceChildren(tableOf(["empty bin", "unit", "entered now", "units so far"], rows));
  };

  const showTable = (now, before) => {
    const rows = cells.map(({index}, k) => {
      const {low, unit, isNegative, units} = cellOf(index);
      const isNew = units !== before[k];
      return {isNew, texts: [`${isNegative ? "−" : "+"} 2^${low} to 2^${low + 4}`, `2^${unit}`, isNew ? textOf(now) : "",
        units.toString()]};
    });
    byId("bins").replaceChildren(tableOf(["cell of the table", "unit", "entered now", "units so far"], rows));
  };

  // Binary places as a strip: what the bins take, and above it the bits of the number, each where it enters.
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, String(value)));
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const showPlaces = (now) => {
    const standing = bins();
    const room = library.headroom();
    const bands = standing.map(({e}, k) => [k === 0 ? e - room : standing[k - 1].e - 53, e - 52])
      .concat(cells.map(({unit}) => [unit + 55, unit]));
    const ends = numbers.flatMap((x) => placesOf(x) || []).concat(...bands.filter(([top, low]) => top >= low));
    if (ends.length === 0) ends.push(0);
    const high = Math.max(...ends) + 1;
    const low = Math.min(...ends);
    const at = (power) => 1000 * (high - power) / (high - low + 1);
    const drawing = svg("svg", {viewBox: "0 0 1000 112", role: "img", preserveAspectRatio: "none", class: "places"});
    const band = (from, to, y, height, className) => drawing.append(svg("rect",
      {x: at(from), width: Math.max(at(to - 1) - at(from), 3), y, height, class: className}));
    bands.forEach(([top, bottom], k) => {
      if (top >= bottom) band(top, bottom, 62, 44, `bin bin${k % 2}`);
    });
    const own = now !== undefined && placesOf(now);
    if (own) {
      band(own[0], own[1], 8, 30, "bits");
      (cells.length > 0 ? [now] : standing.map(({entered}) => entered)).forEach((part, k) => {
        const places = placesOf(part);
        if (places) band(places[0], places[1], 70, 28, `part part${k % 2}`);
      });
    }
    const caption = make("p", "title", `Binary places from 2^${high - 1} at the left to 2^${low} at the right: ` +
      `the bits of the number, and below what enters the ${cells.length > 0 ? "cells" : "bins"}`);
    drawing.setAttribute("aria-label", own ? `${textOf(now)} has bits from 2^${own[0]} to 2^${own[1]}` : "no number");
    byId("places").replaceChildren(caption, drawing);
  };

  // Runs of limbs that are all sign, and all others one by one, the highest first.
  const showNumber = (state, before) => {
    const now = state.slice(0, limbs);
    const sign = now[limbs - 1] >> 63n ? "f" : "0";
    const list = make("ol", "limbs");
    let folded = 0;
    const fold = () => {
      if (folded > 0) list.append(make("li", "same", `${folded} × ${sign.repeat(4)}…`));
      folded = 0;
    };
    for (let i = limbs - 1; i >= 0; i -= 1) {
      const text = hex(now[i]);
      if (text === sign.repeat(16) && now[i] === before[i]) {
        folded += 1;
      } else {
        fold();
        const item = make("li", now[i] === before[i] ? "" : "new", text);
        item.dataset.limb = String(i);
        list.append(item);
      }
    }
    fold();
    const beside = state.slice(limbs).map((count, i) => (i === 0 || count > 0n ? `${count} ${counted[i]}` : "")).filter(Boolean);
    byId("number").replaceChildren(make("p", "title", "The integer: 34 limbs, the highest first; limb 0 counts 2^-1074. " +
      `Counted beside it: ${beside.join(", ")}.`), list);
  };

  const wayOf = (x) => (!Number.isFinite(x) ? "is no finite number: it is counted."
    : `enters ${library.bins() > 0 ? "the bins" : "its cell of the table"}, exactly.`);

  const show = (wanted) => {
    step = Math.max(0, Math.min(wanted, numbers.length));
    library.enter(Math.max(step - 1, 0));
    const before = words(stateBytes());
    const cellsBefore = cells.map(({index}) => cellOf(index).units);
    const soFar = library.enter(step);
    const state = stateBytes();
    const now = step > 0 ? numbers[step - 1] : undefined;
    if (library.bins() > 0) showBins(now);
    else showTable(now, cellsBefore);
    showPlaces(now);
    showNumber(words(state), before);
    byId("count").textContent = `${step} of ${numbers.length}`;
    byId("said").textContent = now === undefined ? "Nothing has entered."
      : `${textOf(now)} ${wayOf(now)} So far ${textOf(soFar)}, rounded once.`;
    place.dataset.state = [...state].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    byId("first").disabled = byId("back").disabled = step === 0;
    byId("next").disabled = byId("last").disabled = step === numbers.length;
  };

  const start = () => {
    if (!library) return;
    const why = read();
    byId("refused").textContent = why;
    byId("numbers").setAttribute("aria-invalid", String(why !== ""));
    if (why) return;
    new Float64Array(library.memory.buffer, library.numbers(), numbers.length).set(numbers);
    const result = library.add(numbers.length);
    const naive = numbers.length > 0 ? numbers.reduce((sum, x) => sum + x) : 0;
    byId("answer").textContent = textOf(result);
    byId("naive").textContent = textOf(naive);
    byId("naive").classList.toggle("wrong", !Object.is(result, naive));
    library.enter(numbers.length);
    cells = usedCells();
    show(numbers.length);
  };

  byId("numbers").addEventListener("input", start);
  place.querySelectorAll("[data-numbers]").forEach((button) => button.addEventListener("click", () => {
    byId("numbers").value = button.dataset.numbers;
    start();
  }));
  byId("first").addEventListener("click", () => show(0));
  byId("back").addEventListener("click", () => show(step - 1));
  byId("next").addEventListener("click", () => show(step + 1));
  byId("last").addEventListener("click", () => show(numbers.length));
  WebAssembly.instantiate(Uint8Array.from(atob(binsLibrary), (letter) => letter.charCodeAt(0)))
    .then(({instance}) => {
      library = instance.exports;
      start();
    })
    .catch((why) => {
      byId("refused").textContent = `The library does not run here: ${why.message}`;
    });
})();
