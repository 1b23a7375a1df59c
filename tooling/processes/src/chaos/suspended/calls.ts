/** How many calls each member made in an epoch. */
export type EpochCalls = Readonly<Record<string, number>>;

/** Calls as they arrived, by epoch. */
export function callsByEpoch(
  calls: readonly { readonly atMs: number; readonly member: string }[],
  intervalMs: number,
): EpochCalls[] {
  const epochs = new Map<number, Record<string, number>>();
  for (const { atMs, member } of calls) {
    const number = Math.floor(atMs / intervalMs);
    const epoch = epochs.get(number) ?? {};
    epoch[member] = (epoch[member] ?? 0) + 1;
    epochs.set(number, epoch);
  }
  return [...epochs.values()];
}

/** The most calls of all members in one epoch. */
export function worstOf(epochs: readonly EpochCalls[]): number {
  return Math.max(0, ...epochs.map((epoch) => Object.values(epoch).reduce((sum, calls) => sum + calls, 0)));
}
