import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import type { Violation } from "../invariants.ts";
import type { KeyFloor } from "./permit-invariants.ts";
import { INSTANT_TOLERANCE_MS } from "./tolerance.ts";

const RESET_KEEPS_MS = 60_000;
const ON_ITS_WAY_MS = 1_000;

interface Issued {
  readonly id: string;
  readonly atMs: number;
  /** The distance that it keeps to the next. */
  readonly widthMs: number;
}

/**
 * The permits of one key that were answered and not given back: whatever the case is about, no two of them may be too
 * close.
 */
export class IssuedPermits {
  /** The newest time answered. */
  floor: KeyFloor | undefined;
  #issued: Issued[] = [];
  /** Interval and burst of the key's requests: with a burst there is no one distance to keep once they differ. */
  #pace: Pick<PermitRequest, "everyMs" | "burst"> | undefined;
  #mixed = false;

  /** Takes an answer in; gives back what it breaks. */
  answered(request: PermitRequest, reservation: Reservation): Violation | undefined {
    const { id, cost } = request;
    const { everyMs, burst } = reservation.limit ?? request;
    const before = this.#pace ?? { everyMs, burst };
    this.#mixed ||= before.burst !== burst || (burst > 1 && before.everyMs !== everyMs);
    this.#mixed ||= burst > 1 && cost !== 1;
    this.#pace = { everyMs, burst };
    // The same again, or one that was made anew after the old was forgotten.
    this.#issued = this.#issued.filter((permit) => permit.id !== id);
    for (let i = 0; i < reservation.granted; i++)
      this.#issued.push({ id, atMs: instantOf(reservation, i), widthMs: cost * everyMs });
    this.#issued.sort((a, b) => a.atMs - b.atMs);
    return this.#mixed ? undefined : this.#tooClose(id, burst);
  }

  /** A release that is on its way: what it gives back may be given to somebody else from now on. */
  released({ id, keep }: PermitRelease): void {
    let kept = 0;
    this.#issued = this.#issued.filter((permit) => permit.id !== id || kept++ < keep);
  }

  /**
   * A reset that is on its way (P12): what comes within a minute keeps the smallest distance of all that does. A second
   * is left for the way.
   */
  reset(): void {
    const untilMs = (this.floor?.storeTimeMs ?? 0) + RESET_KEEPS_MS - ON_ITS_WAY_MS;
    const gone = new Set(this.#issued.filter(({ atMs }) => atMs > untilMs).map(({ id }) => id));
    const left = this.#issued.filter(({ id }) => !gone.has(id));
    const widthMs = Math.min(...left.map((permit) => permit.widthMs));
    this.#issued = widthMs > RESET_KEEPS_MS ? [] : left.map((permit) => ({ ...permit, widthMs }));
  }

  #tooClose(id: string, burst: number): Violation | undefined {
    for (const [i, permit] of this.#issued.entries()) {
      const later = this.#issued[i + burst];
      if (!later || (later.id !== id && permit.id !== id)) continue;
      const apartMs = later.atMs - permit.atMs;
      if (apartMs >= permit.widthMs - INSTANT_TOLERANCE_MS) continue;
      const which = burst === 1 ? "two permits" : `${burst + 1} permits where ${burst} may come at once`;
      return {
        rule: "P3",
        summary: `${which} are ${apartMs.toFixed(3)} ms apart, and ${permit.widthMs.toFixed(3)} ms is the least: instants ${permit.atMs} and ${later.atMs}`,
      };
    }
    return undefined;
  }
}
