// The page on which one types numbers and watches them enter the bins.
(() => {
  const place = document.getElementById("typed");
  if (!place) return;
  const byId = (id) => document.getElementById(id);
  const most = 200;
  let run = exact.sum([]);
  let step = 0;

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const textOf = (x) => (Object.is(x, -0) ? "-0" : String(x));
  const hex = (limb) => limb.toString(16).padStart(16, "0");

  const read = () => {
    const words = byId("numbers").value.split(/[\s,;]+/).filter((word) => word);
    const special = {nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity};
    const numbers = words.map((word) => {
      const lower = word.toLowerCase();
      if (lower in special) return special[lower];
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(lower) ? Number(word) : null;
    });
    const wrong = numbers.indexOf(null);
    if (wrong >= 0) return `“${words[wrong].slice(0, 40)}” is not a number.`;
    if (numbers.length > most) return `Up to ${most} numbers; found ${numbers.length}.`;
    run = exact.sum(numbers);
    return "";
  };

  const showBins = (bins, entered) => {
    const rows = bins.map((bin, k) => {
      const row = make("tr", entered && entered[k] !== 0 ? "new" : "");
      const first = make("th", "", `1.5 · 2^${bin.e}`);
      first.scope = "row";
      row.append(first, make("td", "", `2^${bin.e - 52}`), make("td", "in", entered ? textOf(entered[k]) : ""),
        make("td", "units", bin.units.toString()));
      return row;
    });
    const table = make("table", "binned");
    const head = make("tr");
    ["empty bin", "unit", "entered now", "units so far"].forEach((text) => {
      const cell = make("th", "", text);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    body.append(...rows);
    table.append(top, body);
    byId("bins").replaceChildren(table);
  };

  // Binary places as a strip: what the bins take, and above it the bits of the number, each where it enters.
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, String(value)));
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const showPlaces = (bins, now) => {
    const ends = run.steps.flatMap(({x}) => exact.placesOf(x) || []);
    const high = Math.max(...ends, bins[0].e - 10) + 1;
    const low = Math.min(...ends, bins[bins.length - 1].e - 52);
    const at = (power) => 1000 * (high - power) / (high - low + 1);
    const drawing = svg("svg", {viewBox: "0 0 1000 112", role: "img", preserveAspectRatio: "none", class: "places"});
    const band = (from, to, y, height, className) => drawing.append(svg("rect",
      {x: at(from), width: Math.max(at(to - 1) - at(from), 3), y, height, class: className}));
    bins.forEach((bin, k) => {
      const top = k === 0 ? bin.e - 10 : bins[k - 1].e - 53;
      if (top >= bin.e - 52) band(top, bin.e - 52, 62, 44, `bin bin${k % 2}`);
    });
    const own = now && exact.placesOf(now.x);
    if (own) {
      band(own[0], own[1], 8, 30, "bits");
      now.entered.forEach((part, k) => {
        const places = exact.placesOf(part);
        if (places) band(places[0], places[1], 70, 28, `part part${k % 2}`);
      });
    }
    const caption = make("p", "title", `Binary places from 2^${high - 1} at the left to 2^${low} at the right: ` +
      "the bits of the number, and below what enters the bins");
    drawing.setAttribute("aria-label", own ? `${textOf(now.x)} has bits from 2^${own[0]} to 2^${own[1]}` : "no number");
    byId("places").replaceChildren(caption, drawing);
  };

  // Runs of limbs that are all sign, and all others one by one, the highest first.
  const showNumber = (units, before) => {
    const limbs = exact.limbsOf(units);
    const old = exact.limbsOf(before);
    const sign = units < 0n ? "f" : "0";
    const list = make("ol", "limbs");
    let folded = 0;
    const fold = () => {
      if (folded > 0) list.append(make("li", "same", `${folded} × ${sign.repeat(4)}…`));
      folded = 0;
    };
    for (let i = limbs.length - 1; i >= 0; i -= 1) {
      const text = hex(limbs[i]);
      if (text === sign.repeat(16) && limbs[i] === old[i]) {
        folded += 1;
      } else {
        fold();
        const item = make("li", limbs[i] === old[i] ? "" : "new", text);
        item.dataset.limb = String(i);
        list.append(item);
      }
    }
    fold();
    byId("number").replaceChildren(make("p", "title", "The integer: 34 limbs, the highest first; limb 0 counts 2^-1074"), list);
  };

  const ways = {bins: "enters the bins, exactly.", below: "lies below the last bin: it enters the integer by its digits.",
    both: "enters the bins; the rest enters the integer by its digits.",
    digits: "is so large that it enters the integer by its digits.", count: "is no finite number: it is counted."};

  const show = (wanted) => {
    step = Math.max(0, Math.min(wanted, run.steps.length));
    const now = run.steps[step - 1];
    const before = step > 1 ? run.steps[step - 2].units : 0n;
    showBins(now ? now.bins : run.empty, now && now.entered);
    showPlaces(run.empty, now);
    showNumber(now ? now.units : 0n, before);
    byId("count").textContent = `${step} of ${run.steps.length}`;
    byId("said").textContent = now ? `${textOf(now.x)} ${ways[now.way]}` : "The bins are empty.";
    byId("first").disabled = byId("back").disabled = step === 0;
    byId("next").disabled = byId("last").disabled = step === run.steps.length;
  };

  const start = () => {
    const why = read();
    byId("refused").textContent = why;
    byId("numbers").setAttribute("aria-invalid", String(why !== ""));
    if (why) return;
    const {result, steps} = run;
    const naive = steps.length ? steps[steps.length - 1].naive : 0;
    byId("answer").textContent = textOf(result);
    byId("naive").textContent = textOf(naive);
    byId("naive").classList.toggle("wrong", !Object.is(result, naive));
    place.dataset.limbs = exact.limbsOf(run.units).map(hex).join(" ");
    show(steps.length);
  };

  byId("numbers").addEventListener("input", start);
  place.querySelectorAll("[data-numbers]").forEach((button) => button.addEventListener("click", () => {
    byId("numbers").value = button.dataset.numbers;
    start();
  }));
  byId("first").addEventListener("click", () => show(0));
  byId("back").addEventListener("click", () => show(step - 1));
  byId("next").addEventListener("click", () => show(step + 1));
  byId("last").addEventListener("click", () => show(run.steps.length));
  start();
})();
