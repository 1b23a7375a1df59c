import { describe, expect, it } from "vitest";
import { KnownPause } from "../../src/pacer/known-pause.ts";

/** An answer at a time of the store's clock, which is 1,000 ms behind the local one. */
function answer(sentMs: number, receivedMs: number, pausedForMs?: number, atMs = (sentMs + receivedMs) / 2) {
  const none = { granted: 0, firstMs: 0, stepMs: 0, earliestMs: 0, retryAfterMs: 0, reservedAhead: 0 };
  const storeTimeMs = atMs - 1_000;
  return {
    reservation: { ...none, storeTimeMs, ...(pausedForMs !== undefined && { pausedForMs }) },
    sentMs,
    receivedMs,
  };
}

describe("what a process knows of a pause", () => {
  it("ends as the quickest answer about it says, never early, and is news once", () => {
    const pause = new KnownPause();
    // It ends at 3,000 of local time.
    expect(pause.hear(answer(1_000, 1_400, 2_000, 1_000), 0)).toBe(true);
    expect(pause.untilMs).toBe(3_400);
    expect(pause.hear(answer(1_500, 1_520, 1_490, 1_510), 0)).toBe(false);
    expect(pause.untilMs).toBe(3_010);
    expect(pause.hear(answer(1_600, 2_000, 1_400, 1_600), 0)).toBe(false);
    expect(pause.untilMs).toBe(3_010);
    expect(pause.leftMs(3_000)).toBe(10);
    expect(pause.leftMs(3_100)).toBe(0);
  });

  it("becomes longer and, after a reset, shorter, but not by an answer that is older", () => {
    const pause = new KnownPause();
    pause.hear(answer(1_000, 1_010, 2_000), 0);
    expect(pause.hear(answer(1_100, 1_110, 5_000), 0)).toBe(true);
    // Both were sent before that answer came.
    expect(pause.hear(answer(1_050, 1_200), 0)).toBe(false);
    expect(pause.hear(answer(1_060, 1_210, 500), 0)).toBe(false);
    expect(pause.untilMs).toBe(6_110);
    expect(pause.hear(answer(1_300, 1_310, 500), 0)).toBe(false);
    expect(pause.untilMs).toBe(1_810);
    pause.hear(answer(1_400, 1_410), 0);
    expect(pause.untilMs).toBe(Number.NEGATIVE_INFINITY);
  });

  it("is unsaid until a request has carried all of it", () => {
    const pause = new KnownPause();
    expect(pause.ask(2_000)).toBe(true);
    expect(pause.ask(1_900)).toBe(false);
    expect(pause.unsaidMs(1_000)).toBe(1_000);
    expect(pause.ask(2_500)).toBe(true);
    // The request was sent before the pause became longer.
    expect(pause.hear(answer(1_000, 1_010, 1_000), 1_000)).toBe(false);
    expect(pause.unsaidMs(1_100)).toBe(1_400);
    expect(pause.untilMs).toBe(2_500);
    expect(pause.hear(answer(1_100, 1_110, 1_400), 1_400)).toBe(true);
    expect(pause.unsaidMs(1_200)).toBe(0);
    expect(pause.untilMs).toBe(2_510);
  });

  it("that is over is unsaid no more, and a new one of the store counts as it is", () => {
    const pause = new KnownPause();
    pause.ask(1_100);
    pause.hear(answer(1_200, 1_210), 0);
    expect(pause.hear(answer(1_300, 1_310, 500), 0)).toBe(true);
    expect(pause.hear(answer(1_400, 1_402, 404), 0)).toBe(false);
    expect(pause.untilMs).toBe(1_806);
  });

  it("keeps back instants of an answer that does not know of it, and none of one that does", () => {
    const pause = new KnownPause();
    const knows = answer(1_000, 1_010, 2_000);
    expect(pause.notBeforeMs(knows.reservation)).toBe(Number.NEGATIVE_INFINITY);
    pause.hear(knows, 0);
    expect(pause.notBeforeMs(knows.reservation)).toBe(Number.NEGATIVE_INFINITY);
    expect(pause.notBeforeMs(answer(1_000, 1_020).reservation)).toBe(3_010);
    pause.ask(9_000);
    expect(pause.notBeforeMs(knows.reservation)).toBe(9_000);
  });
});
