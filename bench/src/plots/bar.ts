import type { Bar } from "./bar-plot.ts";

/** A bar in the look of what it stands for: our own candidates begin with `@dt`, or are functions of ours. */
export function bar(label: string, value: number, shown: string, isReference = false): Bar {
  const isOurs = label.startsWith("@dt") || label.startsWith("create");
  return { label, value, shown, look: isReference ? "reference" : isOurs ? "ours" : "other" };
}
