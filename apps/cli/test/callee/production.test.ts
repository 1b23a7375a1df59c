import type { Runtime } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { Production } from "../../src/callee/provider/production.ts";

/** Makes tokens to the end; resolves with the time and the number of each delivery. */
async function deliveries(tokens: number, tokenTakesMs: number, lateMs: number): Promise<(number | string)[][]> {
  const time = new VirtualRuntime();
  const runtime: Runtime = {
    now: () => time.now(),
    random: () => time.random(),
    setTimer: (callback, delayMs) => time.setTimer(callback, delayMs + lateMs),
  };
  const seen: (number | string)[][] = [];
  const made = (count: number): void => void seen.push([time.now(), count]);
  const ended = (): void => void seen.push([time.now(), "ended"]);
  const production = new Production(runtime, { tokens, tokenTakesMs, made, ended });
  await time.advance(10_000);
  expect(production.produced).toBe(tokens);
  return seen;
}

it("makes a token each time, and ends with the last", async () => {
  expect(await deliveries(3, 10, 0)).toEqual([
    [10, 1],
    [20, 1],
    [30, 1],
    [30, "ended"],
  ]);
});

it("catches up where timers are late", async () => {
  expect(await deliveries(6, 10, 25)).toEqual([
    [35, 3],
    [65, 3],
    [65, "ended"],
  ]);
});

it("makes all at once where a token takes no time", async () => {
  expect(await deliveries(5, 0, 0)).toEqual([
    [0, 5],
    [0, "ended"],
  ]);
});

it("ends where the times of tokens are not exact", async () => {
  const seen = await deliveries(1_000, 0.1, 0);
  expect(seen.at(-1)?.[1]).toBe("ended");
});
