import { systemRuntime } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import type { RedisStore } from "../../src/index.ts";

type SetTimer = typeof systemRuntime.setTimer;

/** Timers of a store whose connection and channels are checked every `everyMs`, and not every 10 s. */
export function checkingEvery(everyMs: number, onCheck: () => void = () => {}): { setTimer: SetTimer } {
  const setTimer: SetTimer = (callback, delayMs, settings) => {
    if (delayMs !== 10_000) return systemRuntime.setTimer(callback, delayMs, settings);
    const check = (): void => {
      onCheck();
      callback();
    };
    return systemRuntime.setTimer(check, everyMs, settings);
  };
  return { setTimer };
}

export interface Heard {
  count: number;
  stop(): void;
}

/** Counts the hints of a group from now on. */
export async function listen(store: RedisStore, name = "g"): Promise<Heard> {
  const hints: Heard = { count: 0, stop() {} };
  hints.stop = await store.onHint(name, () => {
    hints.count += 1;
  });
  return hints;
}

export const hinted = (hints: Heard, more: number): Promise<unknown> =>
  until("a hint came", 15_000, () => hints.count >= more);

/** A hint that another store gives now, of the group "g", is heard. */
export async function hear(hints: Heard, giver: RedisStore): Promise<void> {
  const before = hints.count;
  await giver.register("g", newcomer());
  await hinted(hints, before + 1);
}
