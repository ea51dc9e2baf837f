"use strict";
// The theme opens its menu and its search by labels, which no key reaches: here they are buttons.
for (const [id, name] of [["__drawer", "Menu"], ["__search", "Search"]]) {
  for (const label of document.querySelectorAll(`label.md-header__button[for=${id}]`)) {
    label.tabIndex = 0;
    label.setAttribute("role", "button");
    label.setAttribute("aria-label", name);
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation(); // the theme would press it once more
      label.click();
    });
  }
}
// Escape closes the menu, and goes back to what opened it.
document.addEventListener("keydown", (event) => {
  const drawer = document.getElementById("__drawer");
  if (event.key !== "Escape" || !drawer || !drawer.checked) return;
  drawer.click();
  document.querySelector("label.md-header__button[for=__drawer]").focus();
});
