// The controls: one step for all runs.
const player = (() => {
  const byId = (id) => document.getElementById(id);
  const {runs: found} = JSON.parse(byId("trace").textContent);
  const place = byId("runs");
  place.classList.toggle("pair", found.length > 1);
  const runs = found.map(makeRun);
  runs.forEach((run) => place.append(run.section));
  runs.forEach((run) => run.resize());
  const length = Math.max(...runs.map((run) => run.length));
  const slider = byId("step");
  slider.max = String(length);
  let step = 0;
  let timer = 0;

  const say = (text) => {
    if (!timer) byId("said").textContent = text;
  };

  const to = (wanted) => {
    step = Math.max(0, Math.min(wanted, length));
    const said = runs.map((run) => run.show(step));
    slider.value = String(step);
    slider.setAttribute("aria-valuetext", `step ${step} of ${length}`);
    byId("count").textContent = `${step} / ${length}`;
    byId("first").disabled = byId("back").disabled = step === 0;
    byId("last").disabled = byId("next").disabled = step === length;
    say(`Step ${step} of ${length}. ${said.map((own) => `${own.caption} ${own.end}`).join(" ")}`);
  };

  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    byId("play").textContent = "Play";
  };

  const tick = () => {
    if (step >= length) {
      pause();
      to(step);
      return;
    }
    to(step + 1);
    timer = setTimeout(tick, Number(byId("speed").value));
  };

  const play = () => {
    if (timer) {
      pause();
      to(step);
      return;
    }
    if (step === length) to(0);
    byId("play").textContent = "Pause";
    timer = setTimeout(tick, 1);
  };

  const move = (wanted) => {
    pause();
    to(wanted);
  };

  // In a grid the arrows go from cell to cell.
  const moveInGrid = (event, cell) => {
    const all = [...cell.parentElement.children];
    const columns = getComputedStyle(cell.parentElement).gridTemplateColumns.split(" ").length;
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns};
    if (event.key === "Enter") cell.click();
    const next = all[all.indexOf(cell) + (steps[event.key] || 0)];
    if (!(event.key in steps) || !next) return event.key in steps || event.key === "Enter";
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = event.target.closest(".cell");
    if (cell && event.key !== " ") {
      if (moveInGrid(event, cell)) event.preventDefault();
      return;
    }
    if (event.target.closest("input, select, .source")) return;
    const moves = {ArrowLeft: () => move(step - 1), ArrowRight: () => move(step + 1),
      Home: () => move(0), End: () => move(length)};
    if (event.key === " " && !event.target.closest("button")) play();
    else if (event.key in moves) moves[event.key]();
    else return;
    event.preventDefault();
  });

  byId("first").addEventListener("click", () => move(0));
  byId("back").addEventListener("click", () => move(step - 1));
  byId("play").addEventListener("click", play);
  byId("next").addEventListener("click", () => move(step + 1));
  byId("last").addEventListener("click", () => move(length));
  slider.addEventListener("input", () => move(Number(slider.value)));
  window.addEventListener("resize", () => runs.forEach((run) => run.resize()));

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = byId("theme");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const nameTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
  };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  nameTheme();
  to(0);
  return {to, length};
})();
document.documentElement.dataset.steps = String(player.length);
