import { describe, expect, it } from "vitest";
import { longEnough } from "../src/long-enough.ts";
import type { Result } from "../src/saved-results.ts";
import { accuracy } from "../src/signal/accuracy.ts";
import type { SignalFigures } from "../src/signal/figures.ts";
import { memory } from "../src/signal/memory.ts";
import { signalPage, writtenSignalPage } from "../src/signal-page.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

/** So few that a slow machine can send more. */
const QUOTA = 200;

describe("the signal benchmark, in short", () => {
  it(
    "a noisy neighbour: prints one JSON object with the three figures that are compared",
    async () => {
      const { stdout } = await runBench("signal", "--quick", "--json", "--only", "noisy-neighbour");
      const { noisyNeighbour } = (JSON.parse(stdout) as Result<SignalFigures>).figures;
      for (const figure of ["quietP99Ms", "signalP99Ms", "pauseP99Ms"] as const)
        expect(noisyNeighbour?.[figure]).toBeGreaterThan(0);
      // Which of them is faster, and how much, is for an idle machine to say.
    },
    PATIENCE_MS,
  );

  it(
    "accuracy: nothing is lost or out of order, and no more is kept than the quota gives and what was on its way",
    async () => {
      const { accepted, expected, lost, outOfOrder, signals } = await longEnough(
        (factor) => accuracy(QUOTA, 2 * factor),
        (figures) => figures.accepted > 0,
      );
      expect([lost, outOfOrder]).toEqual([0, 0]);
      expect(signals).toBeGreaterThan(0);
      // A full bucket and a window of messages on their way. How near it comes in a minute is for an idle machine to
      // say.
      expect(accepted).toBeLessThanOrEqual(expected + QUOTA + 100);
      expect(accepted).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it.each(["confirming", "lying", "silent"] as const)(
    "memory: with %s clients the server never holds more than its bound, nor takes more than the quota, the bucket and what is allowed beyond",
    async (kind) => {
      const startMs = performance.now();
      const run = await memory(kind, 40, 2);
      const minutes = Math.ceil((performance.now() - startMs) / 60_000);
      expect(run.connections).toBe(40);
      expect(run.mostBytes).toBeLessThanOrEqual(run.boundBytes);
      // Bound of broken promises: 64 KiB a minute and connection, and as much at once.
      expect(run.brokenBytes).toBeLessThanOrEqual(40 * 64 * 1_024 * (1 + minutes));
      if (kind === "confirming") expect(run.broken).toBe(0);
    },
    PATIENCE_MS,
  );
});

describe("docs/signal.md", () => {
  it("and its chart say what the guide and the kept results say", () => {
    expect(writtenSignalPage()).toEqual(signalPage());
  });
});
