import type { RunRecord, WorkerEntry } from "../record.ts";
import { CHURN_ALLOWANCE_MS, TIMINGS } from "../timings.ts";

/**
 * When the epochs began and what was granted in them, as the workers wrote it down. Epochs are numbered by the store's
 * clock. Counted gross: a token that comes back counts as not granted only when it does so in the epoch of its grant,
 * before it is granted again.
 */
export class Epochs {
  readonly #granted = new Map<number, number>();
  /** Earliest sign of each epoch, in order. */
  readonly #starts: (readonly [epoch: number, atMs: number])[] = [];

  /** `entries` in order of time. */
  constructor(entries: readonly WorkerEntry[]) {
    for (const { entry } of entries) {
      if (entry.type === "returned") this.#granted.set(entry.epoch, this.granted(entry.epoch) - entry.tokens);
      if (entry.type !== "grant" && entry.type !== "share") continue;
      if (entry.type === "grant") this.#granted.set(entry.epoch, this.granted(entry.epoch) + entry.tokens);
      if (entry.epoch > (this.#starts.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY))
        this.#starts.push([entry.epoch, entry.atMs]);
    }
  }

  /** Tokens that all workers together granted in an epoch. */
  granted(epoch: number): number {
    return this.#granted.get(epoch) ?? 0;
  }

  /** The most that was granted in any epoch. */
  get most(): number {
    return Math.max(0, ...this.#granted.values());
  }

  get total(): number {
    return [...this.#granted.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /**
   * The epoch at a time: counted on from the last sign by then, so that epochs pass also while nobody says anything.
   * Before the first sign of any, the first. Undefined when there was none.
   */
  at(atMs: number): number | undefined {
    const sign = this.#starts.findLast(([, startMs]) => startMs <= atMs) ?? this.#starts[0];
    if (!sign) return undefined;
    const [epoch, startMs] = sign;
    return epoch + Math.max(0, Math.floor((atMs - startMs) / TIMINGS.intervalMs));
  }
}

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
  run: Pick<RunRecord, "startMs" | "endMs" | "changes">,
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
