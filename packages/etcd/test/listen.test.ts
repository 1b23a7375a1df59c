import { encodePermits } from "@dt/cas";
import { MemoryPermitTable, reservePermits } from "@dt/core/ledger";
import type { Call, Topic } from "@dt/core/store";
import { beforeEach, expect, it } from "vitest";
import type { Driver } from "../src/driver.ts";
import { encodeHead } from "../src/head.ts";
import { listenTo } from "../src/listen.ts";

interface Watch {
  readonly key: string;
  readonly onChange: (value: string | undefined) => void;
  readonly onEnd: () => void;
}

let watches: Watch[] = [];
let stopped: string[] = [];
let refused = false;
let heard: Topic[] = [];
let times: number[] = [];
let lost = 0;
beforeEach(() => {
  [watches, stopped, refused, heard, times, lost] = [[], [], false, [], [], 0];
});

const driver = {
  watch: async (key: string, onChange: Watch["onChange"], onEnd: () => void) => {
    // As the client does: a watch that is refused ends as well.
    if (refused) onEnd();
    if (refused) throw new Error("permission denied");
    watches.push({ key, onChange, onEnd });
    return () => void stopped.push(key);
  },
} as unknown as Driver;

const call: Call = { what: "etcd onHint", signal: new AbortController().signal, untilMs: 0, sent: false };
const group: Topic = { kind: "group", name: "g" };
const permits: Topic = { kind: "permits", name: "k" };

function open() {
  const events = { onHint: (topic: Topic) => heard.push(topic), onLost: () => (lost += 1) };
  const listen = listenTo(driver, "dt", (_, head) => times.push(head.timeMs));
  return listen(events as Parameters<typeof listen>[0], call) as Exclude<ReturnType<typeof listen>, Promise<unknown>>;
}

const head = (changes: object): string =>
  encodeHead({
    ...{ birth: "b", generation: 1, agreed: false, memberCount: 1, timeMs: 1, keeper: "", keptMs: 0 },
    ...{ intervalMs: 1_000, quietLimitMs: 1_000, staleAfterMs: 4_000, pausedUntilMs: 0, ...changes },
  });

it("of a group a new generation and an agreement are news, and a new time in the head is not; all heads are heard", async () => {
  const link = open();
  await link.listen([group, group], call);
  await link.listen([group], call);
  expect(watches.map(({ key }) => key)).toEqual(["dt//groups/g/head"]);
  const [{ onChange }] = watches as [Watch];
  for (const [value, news] of [
    [head({ timeMs: 2 }), 1],
    [head({ timeMs: 3 }), 0],
    [head({ timeMs: 4, agreed: true }), 1],
    [head({ timeMs: 5, agreed: true }), 0],
    [head({ timeMs: 6, generation: 2 }), 1],
    ["hello", 1],
    [undefined, 0],
  ] as const) {
    heard = [];
    onChange(value);
    expect(heard, value).toEqual(news === 1 ? [group] : []);
  }
  expect(times).toEqual([2, 3, 4, 5, 6]);
});

it("of a group that is paused, or paused for longer, a hint says that it is about a pause", async () => {
  const texts: (string | undefined)[] = [];
  const events = { onHint: (_: Topic, text?: string) => texts.push(text), onLost: () => undefined };
  const listen = listenTo(driver, "dt", () => undefined);
  const link = await listen(events as unknown as Parameters<typeof listen>[0], call);
  await link.listen([group], call);
  const [{ onChange }] = watches as [Watch];
  for (const pausedUntilMs of [0, 5_000, 5_050, 9_000, 0]) onChange(head({ pausedUntilMs }));
  expect(texts).toEqual([undefined, "pause", "pause"]);
});

it("of a key it is news that instants were given back, and a reservation is not", async () => {
  const link = open();
  await link.listen([permits], call);
  const [{ onChange }] = watches as [Watch];
  const table = new MemoryPermitTable();
  const request = { id: "x", count: 1, cost: 1, everyMs: 10, burst: 1, maxReserved: 5, keepMs: 100, queueMs: 0 };
  reservePermits(table, request, 1_000);
  const value = (releases: number, reservedMs: number): string =>
    encodePermits({ table, releases, use: { by: "c", sharedMs: null, reservedMs, gapMs: 0 } });
  onChange(value(3, 1));
  heard = [];
  onChange(value(3, 2));
  expect(heard).toEqual([]);
  onChange(value(4, 2));
  expect(heard).toEqual([permits]);
});

it("a watch that ends loses the link; one that never came up fails its own call, and can be asked for again", async () => {
  const link = open();
  await link.listen([group], call);
  refused = true;
  await expect(link.listen([permits], call)).rejects.toThrow("permission denied");
  expect(lost).toBe(0);
  refused = false;
  await link.listen([permits], call);
  expect(watches).toHaveLength(2);
  watches[1]?.onEnd();
  expect(lost).toBe(1);
});

it("a watch that ends in its first moment loses the link, too", async () => {
  const link = open();
  const listening = link.listen([group], call);
  // It is up by now, and what waits for that has not run yet.
  watches[0]?.onEnd();
  await listening;
  expect(lost).toBe(1);
});

it("stops what nobody waits for any more, and everything when it is closed", async () => {
  const link = open();
  await link.listen([group, permits], call);
  await link.unlisten?.(permits);
  await Promise.resolve();
  expect(stopped).toEqual(["dt//permits/k"]);
  link.close();
  await Promise.resolve();
  await Promise.resolve();
  expect(stopped).toEqual(["dt//permits/k", "dt//groups/g/head"]);
});
