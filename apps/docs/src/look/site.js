/** What the pages of the site do by themselves: moving drawings can be paused, and wide boxes scrolled by keys. */
for (const figure of document.querySelectorAll("figure.drawing[data-moves]")) {
  const button = document.createElement("button");
  button.type = "button";
  const show = (paused) => {
    figure.toggleAttribute("data-paused", paused);
    button.textContent = paused ? "Play" : "Pause";
    button.setAttribute("aria-label", paused ? "Play the drawing" : "Pause the drawing");
  };
  button.addEventListener("click", () => show(!figure.hasAttribute("data-paused")));
  show(false);
  figure.append(button);
}

const boxes = document.querySelectorAll("main .sl-markdown-content :is(table, pre), main figure.drawing > .box");
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const box of boxes) watch.observe(box);
