import { partialDeepStrictEqual } from "node:assert/strict";
import type { MemberView, Registration } from "@dt/core";
import { accepted, adopting, newcomer } from "../requests.ts";
import type { TimedGroups } from "./both.ts";

/** Groups of a store whose members sync every second, while the store's clock passes as the test says. */
export class LivingGroups {
  readonly #groups: TimedGroups;
  readonly #times: Partial<Registration>;
  clockMs: number;

  /** @param times of each registration, unless it says otherwise */
  constructor(groups: TimedGroups, clockMs: number, times: Partial<Registration>) {
    this.#groups = groups;
    this.clockMs = clockMs;
    this.#times = times;
  }

  async join(group: string, changes: Partial<Registration> = {}): Promise<MemberView> {
    return accepted(await this.#groups.register(group, newcomer({ ...this.#times, ...changes }), this.clockMs));
  }

  /** A member joins; returns what makes it sync every second, for so long. */
  async member(group: string, changes: Partial<Registration> = {}): Promise<(forMs: number) => Promise<void>> {
    const registration = newcomer({ ...this.#times, ...changes });
    let view = await this.#groups.register(group, registration, this.clockMs);
    let { seq } = registration;
    return async (forMs) => {
      for (const endMs = this.clockMs + forMs; this.clockMs < endMs; ) {
        this.clockMs += 1_000;
        seq += 1;
        view = await this.#groups.sync(group, registration, adopting(view, seq), this.clockMs);
      }
    };
  }

  async live(group: string, forMs: number): Promise<void> {
    await (await this.member(group))(forMs);
  }

  /**
   * Right after a loss of data a member proves for a while that the data is there, the clock jumps, and the member goes
   * on: a group that is made then has to learn all the same, for as long as survivors of the loss are heard (R8).
   */
  async learnsAfterJump(beforeMs: number, afterMs: number, staleAfterMs = this.#times.staleAfterMs): Promise<void> {
    const sync = await this.member("other", { ...(staleAfterMs !== undefined && { staleAfterMs }) });
    await sync(beforeMs);
    this.clockMs += 60_000;
    await sync(afterMs);
    const none = { held: 0, learning: true };
    partialDeepStrictEqual(await this.join("g"), { ...none, early: 0 });
    partialDeepStrictEqual(await this.join("g", { rejoin: true, claim: 10, seq: 100 }), { held: 10 });
    this.clockMs += 2_400;
    partialDeepStrictEqual(await this.join("g"), none);
  }
}
