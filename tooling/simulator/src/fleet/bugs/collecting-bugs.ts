import type { Throttle } from "@dt/core";
import type { Bug } from "./bug.ts";

/** Faults of how tokens are collected for calls that cost several of them. */
export const COLLECTING_BUGS: readonly Bug[] = [
  {
    name: "acquire-takes-less",
    what: "a call that costs several tokens begins with the first of them",
    profile: "collecting",
    throttle: acquiring(async (throttle, cost, options) => void (await throttle.acquireUpTo(cost, options))),
  },
  {
    name: "all-collect",
    what: "every caller of the queue collects, and not the head alone",
    profile: "collecting",
    throttle: acquiring(async (throttle, cost, options) => {
      // Tokens come one by one, to each caller in turn.
      for (let collected = 0; collected < cost; collected++) await throttle.acquire(1, options);
    }),
  },
];

type Acquire = Throttle["acquire"];

/** A throttle whose `acquire` is another one. */
function acquiring(
  acquire: (throttle: Throttle, ...asked: Required<Parameters<Acquire>>) => Promise<void>,
): NonNullable<Bug["throttle"]> {
  return (throttle) =>
    new Proxy(throttle, {
      get: (target, name) => {
        if (name === "acquire") return (cost = 1, options = {}) => acquire(target, cost, options);
        const part: unknown = Reflect.get(target, name, target);
        return typeof part === "function" ? part.bind(target) : part;
      },
    });
}
