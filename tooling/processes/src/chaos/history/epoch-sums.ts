import type { Grant } from "./boot-rules.ts";

/** The account of one epoch. */
export interface EpochSum {
  readonly epoch: number;
  /** Granted by all processes. */
  tokens: number;
  /** The largest capacity that a process which granted in it had been answered. */
  limit: number;
  /** When the first of its tokens was granted. */
  firstMs: number;
  readonly byBoot: Map<string, number>;
}

/** Adds up the grants of every epoch; in the order of the epochs. */
export function sumEpochs(grants: readonly Grant[]): EpochSum[] {
  const sums = new Map<number, EpochSum>();
  for (const { boot, atMs, epoch, tokens, limit } of grants) {
    const sum = sums.get(epoch) ?? { epoch, tokens: 0, limit: 0, firstMs: atMs, byBoot: new Map<string, number>() };
    sums.set(epoch, sum);
    sum.tokens += tokens;
    sum.limit = Math.max(sum.limit, limit);
    sum.firstMs = Math.min(sum.firstMs, atMs);
    sum.byBoot.set(boot, (sum.byBoot.get(boot) ?? 0) + tokens);
  }
  return [...sums.values()].sort((a, b) => a.epoch - b.epoch);
}
