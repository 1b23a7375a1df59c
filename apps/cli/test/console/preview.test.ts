import { describe, expect, test } from "vitest";
import { type Plan, previewOf } from "../../src/console/preview.ts";
import type { LimiterReport } from "../../src/fleet/report.ts";
import { member, throttle } from "./support/reports.ts";

function follows(plan: Partial<Plan>): string {
  const whole = { kind: "throttle", limiter: undefined, from: null, to: { max: 50 }, isStored: true } as const;
  return previewOf({ ...whole, ...plan }).follows.join("\n");
}

const tokens = (used: number | null, max = 100) => [
  { name: "tokens", max, windowMs: 1_000, used, utilization: null, binds: false },
];
const fleet = (given: Partial<LimiterReport> = {}): LimiterReport =>
  throttle("mail", { members: [member("a"), member("b"), member("c")], limits: tokens(80), ...given });

describe("of a throttle it says", () => {
  const from = { max: 100 };

  test("what each member has, and from when", () => {
    const text = follows({ limiter: fleet(), from });
    expect(text).toContain("3 members share 50 tokens per 1 s in place of 100: about 16 each in place of about 33.");
    expect(text).toContain("80 tokens were used in the last epoch: at that rate 30 of them wait or are refused.");
    expect(text).toContain("in a process from its next sync");
  });

  test("that members take turns where there is less than one token each", () => {
    expect(follows({ limiter: fleet(), from, to: { max: 2 } })).toContain("the members take turns with single tokens");
  });

  test("who wants more, where shares follow demand", () => {
    const members = [member("a", { want: 5 }), member("b", { want: 70 })];
    const text = follows({ limiter: fleet({ members }), from });
    expect(text).toContain("a member that wants at most 25 gets all of that, and 1 want more");
  });

  test("how long those that wait wait", () => {
    const text = follows({ limiter: fleet({ waiting: 200 }), from });
    expect(text).toContain("200 tokens are waited for: that takes 4 s, and 2 s with the limit of now.");
  });

  test("who holds the limit down", () => {
    const members = [member("a"), member("old", { max: 20 })];
    const text = follows({ limiter: fleet({ members }), from });
    expect(text).toContain('"old" has no `stored` and declares 20: the limit stays 20 tokens per 1 s');
    expect(text).toContain("2 members share 20 tokens per 1 s");
  });

  test("that nothing follows where no process takes its limit from the store", () => {
    expect(previewOf({ kind: "throttle", limiter: fleet(), from, to: { max: 50 }, isStored: false })).toMatchObject({
      inVain: true,
      follows: [expect.stringContaining("Nothing would follow"), {}, {}, {}],
    });
  });

  test("that it is the limit of now, that it is for a time, and that no process uses it", () => {
    expect(follows({ limiter: fleet(), from, to: { max: 100 } })).toContain("That is the limit that counts now.");
    expect(follows({ limiter: fleet(), from, for: "2h" })).toContain("After 2h the value in the code counts again.");
    expect(follows({ isStored: undefined })).toContain("No process uses the limiter now");
  });

  test("what a removal does", () => {
    expect(follows({ limiter: fleet(), from, to: null })).toContain("The store has no limit that could be removed");
    const stored = { revision: 1, inForce: true, values: from, history: [], storeTimeMs: 0 };
    expect(follows({ limiter: fleet({ stored }), from, to: null })).toContain(
      "The value in the code counts again; it is not known to the store until then. It takes the place of max 100.",
    );
  });
});

test("of a semaphore it says that no call is ended", () => {
  const slots = [{ name: "slots", max: 10, windowMs: null, used: 9, utilization: 0.9, binds: false }];
  const limiter: LimiterReport = { ...fleet({ limits: slots, waiting: 4 }), kind: "semaphore" };
  const lowered = follows({ kind: "semaphore", limiter, from: { max: 10 }, to: { max: 6 } });
  expect(lowered).toContain("9 slots are in use: no call begins until 3 have ended.");
  expect(lowered).toContain("No call is ended");
  expect(follows({ kind: "semaphore", limiter, from: { max: 10 }, to: { max: 12 } })).toContain("2 of them may begin");
});

test("of a pacer it says the distance, and when the last one of the queue has its turn", () => {
  const limiter: LimiterReport = { ...throttle("p"), kind: "pacer", waiting: 10 };
  const text = follows({ kind: "pacer", limiter, from: { everyMs: 100, burst: 3 }, to: { everyMs: 200 } });
  expect(text).toContain("One permit each 200 ms in place of one each 100 ms.");
  expect(text).toContain("The burst is the code's: it is not named.");
  expect(text).toContain("10 requests wait: the last one's turn is 2 s ahead, and 1 s now.");
});

test("of a budget it says what each limit has, and which are not named or not there", () => {
  const limits = [
    { name: "requests", max: 600, windowMs: 60_000, used: 10, utilization: 0, binds: false },
    { name: "tokens", max: 60_000, windowMs: 60_000, used: 40_000, utilization: 0, binds: false },
  ];
  const limiter: LimiterReport = { ...throttle("llm"), kind: "budget", limits };
  const text = follows({ kind: "budget", limiter, from: null, to: { tokens: 30_000, other: 1 } });
  expect(text).toContain("requests: not named, so that the value in the code counts; it is 600 now.");
  expect(text).toContain("tokens: 30,000 per 60 s in place of 60,000; 40,000 are used, so that calls wait");
  expect(text).toContain("until 10,000 of them have left the window");
  expect(text).toContain('"other" is no limit of the budget in use');
});

test("of a keyed limit it says what a key has, and that a lower burst is felt", () => {
  const keys = { count: 40, read: 20, limited: 3, busiest: [] };
  const limiter: LimiterReport = { ...throttle("api"), kind: "keyed", limits: [], keys };
  const to = { max: 5, windowMs: 1_000, burst: 5 };
  const text = follows({ kind: "keyed", limiter, from: { ...to, burst: 50, concurrent: 2 }, to, isStored: undefined });
  expect(text).toContain("Each key without a limit of its own has 5 per 1 s, and 5 at once.");
  expect(text).toContain("The burst falls from 50 to 5");
  expect(text).toContain("40 keys in use; nothing is left now of 3 of the 20 that were read.");
  expect(text).toContain("`concurrent` is not named");
  expect(text).toContain("It counts for processes with `stored: true`.");
  expect(follows({ kind: "keyed", key: "tenant 7", limiter, from: null, to })).toContain('The key "tenant 7" has 5');
});
