// The button between light and dark.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  name();
})();
