import { isDtError } from "../errors/dt-error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { PROMPT_MS } from "./sync-schedule.ts";

const LONGEST_PAUSE_MS = 1_000;

/** What a start needs of a membership. */
interface Joining {
  readonly standing: string;
  readonly answersOfStore: number;
  syncNow(): Promise<void>;
}

/**
 * Joins the group, and tries again for `patienceMs` while the store answers others in time and this one too late: so it
 * does when many throttles start at once, and whoever waits gets its turn. A store that answers nobody, cannot be
 * reached, or refuses, fails at once.
 * @throws DtError what the last try failed with
 */
export async function join(membership: Joining, runtime: Runtime, patienceMs: number): Promise<void> {
  const untilMs = runtime.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    const answers = membership.answersOfStore;
    try {
      return await membership.syncNow();
    } catch (error) {
      if (!isDtError(error, "DT_STORE_TIMEOUT") || membership.standing === "left") throw error;
      if (membership.answersOfStore === answers) throw error;
      const pauseMs = Math.min(PROMPT_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS) * (0.5 + runtime.random() / 2);
      if (runtime.now() + pauseMs >= untilMs) throw error;
      await new Promise<void>((resolve) => runtime.setTimer(resolve, pauseMs));
    }
  }
}
