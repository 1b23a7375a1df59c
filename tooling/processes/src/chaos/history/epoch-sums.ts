import type { Movement } from "./boot-rules.ts";

/** The account of one epoch. */
export interface EpochSum {
  readonly epoch: number;
  /**
   * The most that all processes had granted at a time, less what had come back by then. A token that comes back in its
   * epoch was not used, and may be granted again, by whoever then has it (docs/guarantees.md).
   */
  tokens: number;
  /** The largest capacity that a process which granted in it had been answered. */
  limit: number;
  /** When the first of its tokens was granted. */
  readonly firstMs: number;
  /** What each process had granted then. */
  byBoot: ReadonlyMap<string, number>;
}

/** Adds up the grants of every epoch; in the order of the epochs. All times are of one clock: the machine's. */
export function sumEpochs(movements: readonly Movement[]): EpochSum[] {
  const sums = new Map<number, EpochSum>();
  const out = new Map<number, Map<string, number>>();
  for (const { boot, atMs, epoch, tokens, limit } of [...movements].sort((a, b) => a.atMs - b.atMs)) {
    const now = out.get(epoch) ?? new Map<string, number>();
    out.set(epoch, now.set(boot, (now.get(boot) ?? 0) + tokens));
    const sum = sums.get(epoch) ?? { epoch, tokens: 0, limit: 0, firstMs: atMs, byBoot: new Map() };
    sums.set(epoch, sum);
    sum.limit = Math.max(sum.limit, limit);
    const all = [...now.values()].reduce((total, part) => total + part, 0);
    if (all > sum.tokens) Object.assign(sum, { tokens: all, byBoot: new Map(now) });
  }
  return [...sums.values()].sort((a, b) => a.epoch - b.epoch);
}
