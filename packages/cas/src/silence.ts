/** How long a member's mark has been the same. */
interface Sighting {
  readonly mark: string;
  readonly silentMs: number;
}

/**
 * How long each member is silent, as one observer sees it on its own monotonic clock. It is for stores without a clock,
 * where a heartbeat's own time means nothing, since the sender's clock may be anywhere. Every member has a mark that
 * changes with every heartbeat. As long as it stays the same from one look to the next, the time between them counts as
 * silence. A stretch in which the observer did not look counts as the quiet limit at most (rule R2): it may have been
 * asleep itself, or cut off like all others.
 */
export class SilenceLog {
  #sightings = new Map<string, Sighting>();
  #lastLookMs: number | undefined;

  /** Takes in the marks of all that are watched, at a monotonic time; a member that is not among them is forgotten. */
  look(marks: ReadonlyMap<string, string>, nowMs: number, quietLimitMs: number): void {
    const passedMs = this.#lastLookMs === undefined ? 0 : Math.min(nowMs - this.#lastLookMs, quietLimitMs);
    this.#lastLookMs = nowMs;
    const sightings = new Map<string, Sighting>();
    for (const [who, mark] of marks) {
      const before = this.#sightings.get(who);
      sightings.set(who, { mark, silentMs: before?.mark === mark ? before.silentMs + passedMs : 0 });
    }
    this.#sightings = sightings;
  }

  /** How long this one has certainly been silent at the last look, in milliseconds. */
  silentMs(who: string): number {
    return this.#sightings.get(who)?.silentMs ?? 0;
  }
}
