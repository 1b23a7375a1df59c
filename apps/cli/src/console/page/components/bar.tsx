import type { JSX } from "preact";

/** How much of something is used, beside its number. @param part of 1; null draws an empty bar */
export function Bar({ part, full }: { readonly part: number | null; readonly full?: boolean }): JSX.Element {
  const shown = Math.max(0, Math.min(1, part ?? 0));
  return (
    <span class={full || shown >= 1 ? "bar bar-full" : "bar"} aria-hidden="true">
      <i style={{ transform: `scaleX(${shown})` }} />
    </span>
  );
}
