import { describe, expect, test } from "vitest";
import { Epochs, utilisationWithoutChurn } from "../../src/demo/measure/epochs.ts";
import { CHURN_ALLOWANCE_MS } from "../../src/demo/timings.ts";
import { grant, share } from "../support/record.ts";

describe("epochs", () => {
  test("sum the grants of all workers, by the epoch they belong to", () => {
    const epochs = new Epochs([grant(1, 10, 7, 3), grant(2, 20, 7, 4), grant(1, 30, 8, 5)]);
    expect([6, 7, 8].map((epoch) => epochs.granted(epoch))).toEqual([0, 7, 5]);
    expect(epochs.most).toBe(7);
    expect(epochs.total).toBe(12);
  });

  test("begin with their first sign from any worker, be it without a grant", () => {
    const epochs = new Epochs([grant(1, 100, 7), share(2, 900, { epoch: 8 }), grant(1, 950, 7), grant(1, 1_000, 8)]);
    expect([0, 100, 899, 900, 1_899].map((atMs) => epochs.at(atMs))).toEqual([7, 7, 7, 8, 8]);
    expect(new Epochs([]).at(0)).toBeUndefined();
  });
});

describe("epochs of which there is no sign", () => {
  test("pass all the same", () => {
    const epochs = new Epochs([grant(1, 100, 7), grant(1, 5_050, 12)]);
    expect([1_099, 1_100, 3_200, 5_049, 5_050, 7_100].map((atMs) => epochs.at(atMs))).toEqual([7, 8, 10, 11, 12, 14]);
  });
});

describe("utilisation without churn", () => {
  /** Epoch e lasts from 1,000 e; ten tokens are granted in each, except where told otherwise. */
  function epochsUntil(last: number, except: Readonly<Record<number, number>> = {}): Epochs {
    const epochs = Array.from({ length: last + 1 }, (_, epoch) => epoch);
    return new Epochs(
      epochs.flatMap((epoch) => [
        share(1, 1_000 * epoch, { epoch }),
        grant(1, 1_000 * epoch, epoch, except[epoch] ?? 10),
      ]),
    );
  }
  // The start counts against nobody in the epochs 0 to startEpochs.
  const startEpochs = Math.floor(CHURN_ALLOWANCE_MS.start / 1_000);

  test("counts whole epochs outside the time that a change may take", () => {
    const changes = [{ kind: "kill", worker: 2, atMs: 10_500 }] as const;
    const run = { startMs: 0, endMs: 20_500, changes };
    const lastOfCrash = Math.floor((10_500 + CHURN_ALLOWANCE_MS.kill) / 1_000);
    const churn = Array.from({ length: lastOfCrash - 10 + 1 }, (_, index) => [10 + index, 0] as const);
    const counted = 10 - (startEpochs + 1) + (20 - (lastOfCrash + 1));
    const epochs = epochsUntil(20, Object.fromEntries([[0, 0], ...churn, [20, 0]]));
    expect(utilisationWithoutChurn(epochs, run, 10)).toEqual({ utilisation: 1, epochs: counted });
  });

  test("an epoch in which nothing was granted counts as unused", () => {
    const run = { startMs: 0, endMs: (startEpochs + 5) * 1_000, changes: [] };
    const epochs = epochsUntil(startEpochs + 5, { [startEpochs + 2]: 0 });
    expect(utilisationWithoutChurn(epochs, run, 10)).toEqual({ utilisation: 0.75, epochs: 4 });
  });

  test("counts the silence of all workers up to the end", () => {
    const run = { startMs: 0, endMs: (startEpochs + 5) * 1_000, changes: [] };
    expect(utilisationWithoutChurn(epochsUntil(startEpochs + 2), run, 10)).toEqual({ utilisation: 0.5, epochs: 4 });
  });

  test("is measured against the server's limit, so headroom counts as unused", () => {
    const run = { startMs: 0, endMs: (startEpochs + 5) * 1_000, changes: [] };
    expect(utilisationWithoutChurn(epochsUntil(startEpochs + 5), run, 20).utilisation).toBe(0.5);
  });

  test("without any epoch is 0 of none", () => {
    expect(utilisationWithoutChurn(new Epochs([]), { startMs: 0, endMs: 1_000, changes: [] }, 10)).toEqual({
      utilisation: 0,
      epochs: 0,
    });
  });
});
