import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { RequestsInFlight } from "../../src/client/requests-in-flight.ts";

const WAIT = { timeoutMs: 60_000, signal: undefined };

/** An answer that tells, two seconds before the end of a pause, a shorter time. */
const SHORTER = [
  ["a pause", { left: [], pauseMs: 500, refused: true }],
  ["what is left", { left: [{ remaining: 1, resetMs: 500 }], pauseMs: undefined, refused: false }],
] as const;

it.each(SHORTER)(
  "%s told for a shorter time does not end a longer pause: one request goes first at its end",
  async (_, told) => {
    const runtime = new VirtualRuntime();
    const requestsInFlight = new RequestsInFlight("http://callee", 10, runtime);
    expect(requestsInFlight.enter(WAIT)).toBe(true);
    requestsInFlight.received({ left: [], pauseMs: 2_000, refused: true }, { longestMs: 60_000, pausedForMs: 2_000 });
    requestsInFlight.received(told as never, { longestMs: 60_000, pausedForMs: 2_000 });
    let gone = 0;
    for (let n = 0; n < 3; n++) void Promise.resolve(requestsInFlight.enter(WAIT)).then(() => gone++);
    await runtime.advance(2_900);
    expect(gone).toBe(0);
    await runtime.advance(200);
    expect(gone).toBe(3);
  },
);

it("a callee is believed for the longest time at most", async () => {
  const runtime = new VirtualRuntime();
  const requestsInFlight = new RequestsInFlight("http://callee", 10, runtime);
  expect(requestsInFlight.enter(WAIT)).toBe(true);
  requestsInFlight.received({ left: [], pauseMs: 3_600_000, refused: true }, { longestMs: 5_000, pausedForMs: 5_000 });
  let gone = 0;
  void Promise.resolve(requestsInFlight.enter(WAIT)).then(() => gone++);
  await runtime.advance(5_900);
  expect(gone).toBe(0);
  await runtime.advance(200);
  expect(gone).toBe(1);
});

describe("a refusal", () => {
  const answer = { left: [], pauseMs: undefined, refused: false };
  const paused = { longestMs: 60_000, pausedForMs: 1_000 };

  it.each([
    ["is not taken back by another one that tells nothing", true, 1],
    ["is taken back by an answer that tells nothing", false, 3],
  ])("%s", (_, refused, goOut) => {
    const line = new RequestsInFlight("api", 10, new VirtualRuntime());
    line.received({ ...answer, pauseMs: 1_000, refused: true }, paused);
    line.received({ ...answer, refused }, paused);
    const entered = Array.from({ length: 3 }, () => line.enter(WAIT));
    expect(entered.filter((place) => place === true)).toHaveLength(goOut);
    for (const place of entered) if (place !== true) place.catch(() => undefined);
    line.stop(new Error("the test is over"));
  });
});
