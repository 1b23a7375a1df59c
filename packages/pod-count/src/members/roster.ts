interface Entry {
  /** When it was first missed; undefined while it is there. */
  missedSinceMs: number | undefined;
}

/** The fleet as it counts at one instant. */
export interface Count {
  readonly memberCount: number;
  /**
   * Position of the name asked for among those that count, in the order of code units; undefined when it does not
   * count.
   */
  readonly rank: number | undefined;
  /** When a name last began or ceased to count. */
  readonly changedAtMs: number;
}

/**
 * The smoothing, pure: a name counts from when it is first seen until it was missing for the settle time. So a growth,
 * which lowers everybody's share, holds at once, a shrink only after it was stable, and an answer that flaps changes
 * nothing. A fleet of which only the size is known is a list of numbers.
 */
export class Roster {
  readonly #entries = new Map<string, Entry>();
  #changedAtMs = Number.NEGATIVE_INFINITY;

  /** Takes a complete answer; true when a name came, went missing or came back. */
  observe(names: ReadonlySet<string>, nowMs: number, settleMs: number): boolean {
    this.#drop(nowMs, settleMs);
    let changed = false;
    for (const [name, entry] of this.#entries) {
      if (entry.missedSinceMs === undefined && !names.has(name)) {
        entry.missedSinceMs = nowMs;
        changed = true;
      }
    }
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (entry && entry.missedSinceMs === undefined) continue;
      changed = true;
      if (entry) entry.missedSinceMs = undefined;
      else {
        this.#entries.set(name, { missedSinceMs: undefined });
        this.#changedAtMs = nowMs;
      }
    }
    return changed;
  }

  /** What counts at `nowMs`, and the rank of `self` in it. */
  count(nowMs: number, settleMs: number, self: string | undefined): Count {
    this.#drop(nowMs, settleMs);
    let rank = self !== undefined && this.#entries.has(self) ? 0 : undefined;
    if (self !== undefined && rank !== undefined) for (const name of this.#entries.keys()) if (name < self) rank += 1;
    return { memberCount: this.#entries.size, rank, changedAtMs: this.#changedAtMs };
  }

  /** Forgets who was missing for the settle time. */
  #drop(nowMs: number, settleMs: number): void {
    for (const [name, { missedSinceMs }] of this.#entries) {
      if (missedSinceMs === undefined || nowMs < missedSinceMs + settleMs) continue;
      this.#entries.delete(name);
      this.#changedAtMs = Math.max(this.#changedAtMs, missedSinceMs + settleMs);
    }
  }
}
