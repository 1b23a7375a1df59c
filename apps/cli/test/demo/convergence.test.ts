import { describe, expect, test } from "vitest";
import { convergenceOf } from "../../src/demo/measure/convergence.ts";
import type { Change, WorkerEntry } from "../../src/demo/record.ts";
import { share } from "../support/record.ts";

const WORKERS = 2;
const LIMIT = 10;

function tookMs(entries: readonly WorkerEntry[], changes: readonly Change[] = []): (number | undefined)[] {
  return convergenceOf({ startMs: 0, changes, entries }, WORKERS, LIMIT).map((one) => one.tookMs);
}

describe("shares are right", () => {
  test("when every worker knows the membership and their shares of one epoch sum to the limit", () => {
    expect(tookMs([share(1, 100, { epoch: 1, tokens: 5 }), share(2, 130, { epoch: 1, tokens: 5 })])).toEqual([130]);
  });

  test.each([
    ["a worker speaks of another epoch", { epoch: 2 }],
    ["a worker knows another membership", { generation: 2 }],
    ["a worker counts others than those that live", { members: 3 }],
    ["the sum is too small", { tokens: 4 }],
    ["the sum is too large", { tokens: 6 }],
  ])("not when %s", (_, facts) => {
    const wrong = share(2, 130, { epoch: 1, tokens: 5, ...facts });
    expect(tookMs([share(1, 100, { epoch: 1, tokens: 5 }), wrong])).toEqual([undefined]);
  });

  test("not while a worker has said nothing", () => {
    expect(tookMs([share(1, 100, { epoch: 1, tokens: 10, members: 1 })])).toEqual([undefined]);
  });
});

describe("a change", () => {
  const right = [share(1, 100, { epoch: 1, tokens: 5 }), share(2, 110, { epoch: 1, tokens: 5 })];

  test("to fewer workers takes until the others have the whole limit", () => {
    const kill = { kind: "kill", worker: 2, atMs: 1_000 } as const;
    const after = [
      share(1, 1_050, { epoch: 2, tokens: 5 }),
      share(1, 4_000, { epoch: 4, tokens: 10, generation: 2, members: 1 }),
    ];
    expect(tookMs([...right, ...after], [kill])).toEqual([110, 3_000]);
  });

  test("to more workers takes until the newcomer has its part", () => {
    const join = { kind: "join", worker: 3, atMs: 1_000 } as const;
    const facts = { epoch: 3, generation: 2, members: 3 };
    const after = [
      share(1, 1_100, { ...facts, tokens: 3 }),
      share(2, 1_200, { ...facts, tokens: 3 }),
      share(3, 1_250, { ...facts, tokens: 0 }),
      share(3, 1_900, { ...facts, tokens: 4 }),
    ];
    expect(tookMs([...right, ...after], [join])).toEqual([110, 900]);
  });

  test("that is followed by the next before the shares are right never was right", () => {
    const changes = [
      { kind: "kill", worker: 2, atMs: 1_000 },
      { kind: "join", worker: 3, atMs: 2_000 },
    ] as const;
    const facts = { epoch: 5, tokens: 5, generation: 3 };
    const after = [share(1, 3_000, facts), share(3, 3_100, facts)];
    expect(tookMs([...right, ...after], changes)).toEqual([110, undefined, 1_100]);
  });

  test("at the very end, after which nothing is heard, is known all the same", () => {
    const leave = { kind: "leave", worker: 2, atMs: 1_000 } as const;
    expect(tookMs(right, [leave])).toEqual([110, undefined]);
  });
});
