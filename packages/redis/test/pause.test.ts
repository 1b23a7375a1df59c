import { createSemaphore, createThrottle } from "@dt/core";
import { semaphoreGroup } from "@dt/core/internal";
import { type RedisServer, until } from "@dt-tooling/backends";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { afterwards, openStore, ownServer } from "./support/keep.ts";

/** What stops of a fleet is told by the scripts: R35 as throttles and semaphores see it. */

let server: RedisServer;
beforeEach(async () => {
  server = await ownServer();
});

const NAME = "api";
const LEARNING = { learning: 0 } as const;

const kinds = {
  "throttles that share by demand": (store: RedisStore) =>
    createThrottle({ name: NAME, max: 30, store, shares: "demand", ...LEARNING }),
  "throttles that share evenly": (store: RedisStore) =>
    createThrottle({ name: NAME, max: 30, store, shares: "even", ...LEARNING }),
  semaphores: (store: RedisStore) => createSemaphore({ name: NAME, max: 30, store }),
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("a fleet of %s on clients of their own", (kind) => {
  const open = async () => {
    const store = openStore({ url: server.url, timeout: "5s" });
    const limiter = kinds[kind](store);
    afterwards(() => limiter.stop());
    await limiter.start();
    return { store, limiter };
  };

  test("stops when one of them pauses it, newcomers as well, until a reset", async () => {
    const fleet = [await open(), await open(), await open()];
    await until("each was granted something", 20_000, () => fleet.every(({ limiter }) => limiter.tryAcquire()));
    fleet[0]?.limiter.pauseUntil("1h");
    expect(fleet[0]?.limiter.tryAcquire()).toBeFalsy();
    const isPaused = ({ limiter }: (typeof fleet)[number]): boolean => limiter.status().pausedForMs > 3_500_000;
    await until("all know of the pause", 20_000, () => fleet.every(isPaused));
    const newcomer = await open();
    for (const { limiter } of [...fleet, newcomer]) expect(limiter.tryAcquire()).toBeFalsy();
    expect(isPaused(newcomer)).toBe(true);
    const group = kind === "semaphores" ? semaphoreGroup(NAME) : NAME;
    const { pausedForMs } = await newcomer.store.inspect(group);
    expect(pausedForMs).toBeGreaterThan(3_500_000);
    await newcomer.store.repair(group, { reset: true });
    await until("those that did not ask go on", 30_000, () =>
      [fleet[1], newcomer].every((one) => one?.limiter.status().pausedForMs === 0),
    );
    expect(fleet[0]?.limiter.tryAcquire()).toBeFalsy();
  });
});
