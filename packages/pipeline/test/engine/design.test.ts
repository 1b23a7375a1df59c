import { createAdaptiveThrottle } from "@dt/adaptive";
import { createThrottle, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { type Ending, throttled } from "../../src/index.ts";
import { listed, through } from "./support.ts";

/** An API that takes so many requests in each minute, and answers 429 to the others. */
function quota(runtime: VirtualRuntime, perMinute: number) {
  const minutes: { asked: number; taken: number }[] = [];
  const call = async (record: { id: number }): Promise<string> => {
    const at = Math.floor(runtime.now() / 60_000);
    minutes[at] ??= { asked: 0, taken: 0 };
    const minute = minutes[at];
    minute.asked += 1;
    if (minute.taken >= perMinute) throw Object.assign(new Error("Too Many Requests"), { status: 429 });
    minute.taken += 1;
    return `inspected ${record.id}`;
  };
  return { minutes, call };
}

/** Records that come evenly, so many a minute, for some minutes. */
async function* stream(runtime: VirtualRuntime, perMinute: number, minutes: number): AsyncGenerator<{ id: number }> {
  for (let id = 0; id < perMinute * minutes; id++) {
    const dueMs = (id * 60_000) / perMinute;
    if (dueMs > runtime.now())
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, dueMs - runtime.now()));
    yield { id };
  }
}

/** A dead letter as it is written. */
const letter = (ending: Ending): unknown => {
  if (ending.kind === "success") return ending.output;
  return { input: ending.input, error: ending.error };
};

describe("the design's three outputs", () => {
  it("are written in its shapes", async () => {
    const answers: Record<string, () => string> = {
      good: () => "fine",
      tooMuch: () => {
        throw Object.assign(new Error("no"), { status: 429 });
      },
      broken: () => {
        throw new Error("Corresponding error");
      },
    };
    const { pipeline, endings } = listed(Object.keys(answers), async (name) => answers[name]?.(), {
      rejection: false,
      concurrency: 1,
    });
    await pipeline.run();
    expect(endings.map(letter)).toEqual([
      "fine",
      { input: "tooMuch", error: "Server returned HTTP response code: 429" },
      { input: "broken", error: "Corresponding error" },
    ]);
    expect(endings.map(({ kind }) => kind)).toEqual(["success", "throttled", "error"]);
  });

  it("of which the one that we throttle has the probability in it, to the last digit", async () => {
    // 44 requests, of which 15 were accepted: (44 - 2 * 15) / (44 + 1).
    const runtime = new VirtualRuntime();
    let asked = 0;
    const chance = { ...bound(runtime), random: () => (asked < 44 ? 0.999 : 0) };
    const call = async (): Promise<string> => {
      asked += 1;
      if (asked <= 15) return "fine";
      throw Object.assign(new Error("no"), { status: 429 });
    };
    const source = Array.from({ length: 45 }, (_, n) => `payload ${n}`);
    const { pipeline, endings } = listed(source, call, { concurrency: 1, runtime: chance });
    await pipeline.run();
    expect(letter(endings.at(-1) as Ending)).toEqual({
      input: "payload 44",
      error: "Throttled by Client. Request rejection probability: 0.3111111111111111",
    });
    expect(pipeline.status()).toMatchObject({ success: 15, throttledByCallee: 29, throttledByClient: 1, error: 0 });
  });
});

describe("the design's formula", () => {
  it("gives every probability that is written, from counts of each group that are zeroed each minute", async () => {
    const runtime = new VirtualRuntime({ seed: 7 });
    const { call } = quota(runtime, 600);
    const { pipeline, endings } = listed(stream(runtime, 2_400, 2), call, {
      concurrency: 1,
      groups: ({ id }) => id % 3,
      runtime,
    });
    await through(runtime, pipeline.run(), 10_000);
    // Kept again from the outside: a record ends at the instant at which it comes.
    const books = new Map<string, { requests: number; accepts: number }>();
    let throttledByUs = 0;
    for (const ending of endings) {
      const minute = Math.floor(ending.input.id / 2_400);
      const name = `${ending.input.id % 3} in minute ${minute}`;
      const book = books.get(name) ?? { requests: 0, accepts: 0 };
      books.set(name, book);
      if (ending.kind === "throttled" && ending.by === "client") {
        throttledByUs += 1;
        const probability = (book.requests - 2 * book.accepts) / (book.requests + 1);
        expect(ending.error).toBe(`Throttled by Client. Request rejection probability: ${probability}`);
      }
      book.requests += 1;
      if (ending.kind === "success") book.accepts += 1;
    }
    expect(throttledByUs).toBeGreaterThan(10);
    expect(books.size).toBe(6);
  });
});

describe("an API of 600 requests per minute, and 3,000 records a minute", () => {
  it("with the adaptive throttle alone takes its 600 in every minute, is spared a part of the rest, and every record ends once", async () => {
    const runtime = new VirtualRuntime({ seed: 3 });
    const { call, minutes } = quota(runtime, 600);
    const { pipeline, endings } = listed(stream(runtime, 3_000, 3), call, { groups: 4, runtime });
    const status = await through(runtime, pipeline.run(), 10_000);
    expect(minutes.map(({ taken }) => taken)).toEqual([600, 600, 600]);
    // Twice 600 until the probability begins to rise, and then ever fewer: 1,200 * (1 + ln(3,000 / 1,200)) are 2,300.
    for (const { asked } of minutes) expect(Math.abs(asked - 2_300)).toBeLessThan(120);
    expect(status).toMatchObject({ state: "done", read: 9_000, success: 1_800, error: 0, lowWater: 9_000 });
    expect(status.throttledByClient + status.throttledByCallee).toBe(7_200);
    expect(status.throttledByClient).toBeGreaterThan(1_800);
    expect(new Set(endings.map(({ input }) => input.id)).size).toBe(9_000);
    expect(endings).toHaveLength(9_000);
  });

  it("flushed each interval, as in the design, is called in bursts, and no record is lost either", async () => {
    const runtime = new VirtualRuntime({ seed: 5 });
    const { call, minutes } = quota(runtime, 600);
    const { pipeline, endings } = listed(stream(runtime, 3_000, 2), call, { groups: 4, interval: "5s", runtime });
    const status = await through(runtime, pipeline.run(), 10_000);
    expect(status).toMatchObject({ state: "done", success: 1_200, error: 0 });
    expect(minutes.map(({ taken }) => taken)).toEqual([600, 600]);
    expect(new Set(endings.map(({ input }) => input.id)).size).toBe(6_000);
  });

  it("with a throttle of 600 a minute refuses nothing: the records wait in the source", async () => {
    const runtime = new VirtualRuntime({ seed: 3 });
    const throttle = createThrottle({
      name: "dlp",
      max: 600,
      interval: "1m",
      store: new MemoryStore({ runtime }),
      runtime,
    });
    await throttle.start();
    const { call, minutes } = quota(runtime, 600);
    const pipeline = throttled(stream(runtime, 3_000, 2), call, { throttle, groups: 4, runtime });
    const status = await through(runtime, pipeline.run(), 10_000);
    expect(status).toMatchObject({ state: "done", success: 6_000, throttledByCallee: 0, throttledByClient: 0 });
    for (const { asked } of minutes.filter((minute) => minute !== undefined)) expect(asked).toBeLessThanOrEqual(600);
    expect(runtime.now() / 60_000).toBeLessThanOrEqual(11);
    await throttle.stop();
  });
});

/** A callee that refuses that many of a hundred requests, at random. */
function refusing(runtime: VirtualRuntime, percent: number) {
  const books = { asked: 0 };
  const call = async (): Promise<string> => {
    books.asked += 1;
    if (runtime.random() * 100 < percent) throw Object.assign(new Error("no"), { status: 429 });
    return "fine";
  };
  return { books, call };
}

describe("where ours differs from the design", () => {
  it("records are of one group unless told otherwise: dealt among many, each learns from few answers and refuses in vain", async () => {
    const inVain = new Map<number | undefined, number>();
    for (const groups of [undefined, 10, 100, 1_000]) {
      const runtime = new VirtualRuntime({ seed: 3 });
      const { call } = refusing(runtime, 10);
      const options = { runtime, ...(groups === undefined ? {} : { groups }) };
      const { pipeline } = listed(stream(runtime, 3_000, 3), call, options);
      const status = await through(runtime, pipeline.run(), 10_000);
      if (groups === undefined) expect(status.groups).toBe(1);
      inVain.set(groups, status.throttledByClient);
    }
    const [one, ...many] = inVain.values();
    expect(one).toBe(0);
    for (const count of many) expect(count).toBeGreaterThan(100);
  });

  it("there are no windows, but each run counts for itself, as each window of the design does", async () => {
    const inAll = async (shares: boolean): Promise<number> => {
      const runtime = new VirtualRuntime({ seed: 3 });
      const { books, call } = refusing(runtime, 100);
      const shared = createAdaptiveThrottle({ k: 2, reset: "1m", runtime });
      for (let run = 0; run < 10; run++) {
        const source = Array.from({ length: 100 }, (_, id) => ({ id }));
        const { pipeline } = listed(source, call, { runtime, ...(shares ? { rejection: shared } : {}) });
        await through(runtime, pipeline.run());
      }
      return books.asked;
    };
    expect(await inAll(false)).toBeGreaterThan(3 * (await inAll(true)));
  });
});

function bound(runtime: VirtualRuntime) {
  return {
    now: () => runtime.now(),
    setTimer: (callback: () => void, delayMs: number) => runtime.setTimer(callback, delayMs),
  };
}
