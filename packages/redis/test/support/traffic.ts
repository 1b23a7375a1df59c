import { type DtError, isDtError, type MemberView, type Registration } from "@dt/core";
import { timed } from "@dt-tooling/backends";
import { accepted, adopting } from "@dt-tooling/simulator/requests";
import type { RedisStore } from "../../src/index.ts";

/** What a member that syncs without pause saw. */
export interface Traffic {
  readonly views: MemberView[];
  readonly errors: DtError[];
  /** The longest that any one call took. */
  readonly slowestMs: number;
}

/**
 * Registers a member and lets it sync, one call after the other, until `stop` resolves; rejects for anything but a
 * `DtError`.
 */
export async function traffic(
  store: RedisStore,
  group: string,
  member: Registration,
  stop: Promise<unknown>,
  onAnswer: () => void = () => {},
): Promise<Traffic> {
  const views: MemberView[] = [accepted(await store.register(group, member))];
  const errors: DtError[] = [];
  let slowestMs = 0;
  let stopped = false;
  const stopping = stop.finally(() => {
    stopped = true;
  });
  for (let seq = member.seq + 1; !stopped; seq++) {
    const { value, error, ms } = await timed(store.sync(group, member, adopting(views.at(-1) as MemberView, seq)));
    if (value !== undefined) {
      views.push(accepted(value));
      onAnswer();
    } else if (isDtError(error)) errors.push(error);
    else throw error;
    slowestMs = Math.max(slowestMs, ms);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await stopping;
  return { views, errors, slowestMs };
}
