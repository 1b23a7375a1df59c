/** What a key does anywhere on the page. Tables have keys of their own. */
export interface KeyActions {
  readonly help: () => void;
  readonly back: () => void;
}

/** The keys, as the help shows them. */
export const KEYS = [
  ["/", "to the filter; Enter there leads to the first row"],
  ["j, k, arrows", "one row down, one row up"],
  ["Home, End", "to the first row, to the last row"],
  ["Enter", "open the limiter"],
  ["Esc", "leave the filter; back to the fleet"],
  ["?", "these keys"],
] as const;

/** The row of a table that is in the order of Tab. */
const FIRST_ROW = "[data-row][tabindex='0']";

/** Listens to the keys of the whole page. The answer ends it. */
export function listenToKeys({ help, back }: KeyActions): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const { target, key } = event;
    if (target instanceof HTMLElement && target.matches("input, textarea, select")) {
      if (key === "Escape") target.blur();
      else if ((key === "Enter" || key === "ArrowDown") && target.matches("[data-filter]")) focusOn(event, FIRST_ROW);
      return;
    }
    if (key === "/") focusOn(event, "[data-filter]");
    else if (key === "?") help();
    else if (key === "Escape") back();
    else if (key === "j" || key === "k") focusOn(event, FIRST_ROW);
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}

function focusOn(event: KeyboardEvent, selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) return;
  event.preventDefault();
  found.focus();
  found.scrollIntoView({ block: "nearest" });
}
