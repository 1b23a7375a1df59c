import type { Change } from "../run-load.ts";
import { CHURN_ALLOWANCE_MS } from "../timings.ts";
import type { Epochs } from "./epochs.ts";

export interface Utilisation {
  /** Tokens granted in the epochs counted, of the most that the server would have allowed in them: 0 to 1. */
  readonly utilisation: number;
  /** How many epochs were counted. */
  readonly epochs: number;
}

/**
 * Utilisation in the stretches without churn: the tokens granted in every whole epoch of the run that has nothing to do
 * with a change, over `max` for each of these epochs. `max` is the server's limit, so headroom counts as unused. An
 * epoch has to do with a change when it is, in part at least, within the time after it that `CHURN_ALLOWANCE_MS` gives;
 * the start is a change too.
 */
export function utilisationWithoutChurn(
  epochs: Epochs,
  run: { readonly startMs: number; readonly endMs: number; readonly changes: readonly Change[] },
  max: number,
): Utilisation {
  const first = epochs.at(run.startMs);
  const last = epochs.at(run.endMs);
  if (first === undefined || last === undefined) return { utilisation: 0, epochs: 0 };
  const churn = [{ kind: "start" as const, atMs: run.startMs }, ...run.changes].map(({ kind, atMs }) => ({
    from: epochs.at(atMs) as number,
    to: epochs.at(atMs + CHURN_ALLOWANCE_MS[kind]) as number,
  }));
  let counted = 0;
  let granted = 0;
  // The last epoch is cut off by the end of the run.
  for (let epoch = first; epoch < last; epoch++) {
    if (churn.some(({ from, to }) => from <= epoch && epoch <= to)) continue;
    counted += 1;
    granted += epochs.granted(epoch);
  }
  return { utilisation: counted === 0 ? 0 : granted / (counted * max), epochs: counted };
}
