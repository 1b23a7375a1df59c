import type { MemberReport } from "../fleet/report.ts";
import { KEPT_FRAMES } from "./protocol.ts";

/** What a frame adds to a score is worth a third after so many frames. */
const FADES = 1 - 1 / KEPT_FRAMES;

/** A member that is not shown takes the place of one that is where it has so many times as much. */
const CLEARLY_MORE = 1.5;

/** Members of which a score is kept. What a store claims beyond them is not remembered from frame to frame. */
const MOST_SCORES = 2_000;

/**
 * Which members of one limiter are drawn by themselves: those that held and used most over the kept frames. Where all
 * have about as much, the ones that are shown stay.
 */
export class ShownMembers {
  #scores: Map<string, number> = new Map();
  #shown: readonly string[] = [];

  /**
   * Counts a frame.
   * @param members those of the frame
   * @param most so many are shown at most
   * @returns the ids of the ones that are shown, in the order in which they came to be
   */
  add(members: readonly MemberReport[], most: number): readonly string[] {
    this.#scores = this.#scored(members);
    const scoreOf = (id: string): number => this.#scores.get(id) ?? 0;
    const live = new Set(members.map(({ id }) => id));
    const stay = this.#shown.filter((id) => live.has(id)).sort((a, b) => scoreOf(b) - scoreOf(a));
    const shown = new Set(stay.slice(0, most));
    const others = [...live].filter((id) => !shown.has(id)).sort((a, b) => scoreOf(b) - scoreOf(a));
    for (const id of others) {
      if (shown.size < most) {
        shown.add(id);
        continue;
      }
      const least = [...shown].reduce((a, b) => (scoreOf(b) < scoreOf(a) ? b : a), id);
      if (least === id || scoreOf(id) <= CLEARLY_MORE * scoreOf(least)) break;
      shown.delete(least);
      shown.add(id);
    }
    const order = new Map(this.#shown.map((id, i) => [id, i]));
    this.#shown = [...shown].sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity) || 0);
    return this.#shown;
  }

  #scored(members: readonly MemberReport[]): Map<string, number> {
    const fresh = members.map(({ id, held, used }): [string, number] => [
      id,
      (this.#scores.get(id) ?? 0) * FADES + Math.max(0, held) + Math.max(0, used ?? 0),
    ]);
    if (fresh.length <= MOST_SCORES) return new Map(fresh);
    return new Map(fresh.sort(([, a], [, b]) => b - a).slice(0, MOST_SCORES));
  }
}
