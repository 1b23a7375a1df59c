import { DtError, type Limiter } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, expectTypeOf, test } from "vitest";
import { type ConcurrencyLimit, classifier, createConcurrencyLimit, fixed, type Slot } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

const limitOf = (limit: number, runtime = new VirtualRuntime()): ConcurrencyLimit =>
  createConcurrencyLimit({ algorithm: fixed(limit), runtime, partitions: { mail: 50 } });

test("a wrapped function keeps its this, its arguments, its name, its value and its error", async () => {
  const limit = limitOf(2);
  const object = {
    factor: 3,
    times: limit.wrap(async function times(this: { factor: number }, n: number): Promise<number> {
      if (n < 0) throw new RangeError("negative");
      return n * this.factor;
    }),
  };
  expect([await object.times(7), object.times.name]).toEqual([21, "times"]);
  await expect(object.times(-1)).rejects.toThrow(RangeError);
  expect(limit.inflight).toBe(0);
});

test("no more calls run at once than the limit allows, and all of them run", async () => {
  const limit = limitOf(3);
  let running = 0;
  let most = 0;
  const work = limit.wrap(async (n: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return n;
  });
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  expect(await Promise.all(numbers.map(work))).toEqual(numbers);
  expect(most).toBe(3);
});

test("how a call ended is what the algorithm sees: 429 is overload, 500 failure, 200 with its word on the queue a sample", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const get = limit.wrap(async (status: number) => {
    await runtime.advance(status === 200 ? 100 : 5);
    return new Response("", { status, headers: { "server-timing": "queue;dur=12.5" } });
  });
  for (const status of [429, 500, 503, 200]) await get(status);
  expect(algorithm.seen).toMatchObject([{ samples: 1, overloads: 2, reports: 1, queueWaitMs: 12.5, minMs: 100 }]);
});

test("a classifier of one's own decides", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const classify = classifier((ended) => ("value" in ended && ended.value === "busy" ? "overload" : undefined));
  const call = limit.wrap(async () => runtime.advance(100).then(() => "busy"), { classify });
  await call();
  expect(algorithm.seen).toMatchObject([{ samples: 0, overloads: 1 }]);
});

test("options are values, or functions of a call's arguments", async () => {
  const limit = limitOf(10);
  const seen: unknown[] = [];
  const send = limit.wrap(
    async (to: string[], _urgent: boolean) => {
      const { inflight, partitions } = limit.status();
      seen.push([inflight, partitions["mail"]?.inflight]);
      return to.length;
    },
    { cost: (to) => to.length, priority: (_, urgent) => (urgent ? 5 : -1), partition: "mail" },
  );
  expect(await send(["ann", "bob", "eve"], true)).toBe(3);
  expect(seen).toEqual([[3, 3]]);
  await expect(send([], true)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
});

test("one that waits too long is not called and rejects, as one that is aborted; with skip it resolves to undefined", async () => {
  const runtime = new VirtualRuntime();
  const limit = limitOf(1, runtime);
  let calls = 0;
  const controller = new AbortController();
  const count = limit.wrap(() => ++calls, { timeout: "1s", signal: controller.signal });
  const slot = await limit.acquire();
  const timed = count().catch((error) => error.code);
  const skipped = limit.wrap(() => ++calls, { timeout: "1s", whenLimited: "skip" })();
  await runtime.advance(1_000);
  expect([await timed, await skipped]).toEqual(["DT_TIMEOUT", undefined]);
  expect(await limit.run(() => ++calls, { whenLimited: "skip" })).toBeUndefined();
  await expect(limit.run(() => ++calls, { whenLimited: "throw" })).rejects.toMatchObject({ code: "DT_LIMITED" });
  const aborted = count();
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  slot.success();
  expect([calls, limit.inflight]).toEqual([0, 0]);
});

test("a call that was refused elsewhere, and so never made, says nothing of this callee", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const refused = limit.wrap(async () => {
    await runtime.advance(150);
    throw new DtError("DT_QUEUE_FULL", "another limit");
  });
  await expect(refused()).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
  expect(algorithm.seen).toEqual([]);
});

test("it decorates methods, with options and without", async () => {
  const limit = limitOf(5);
  class Api {
    readonly base = "/";
    @limit.wrap
    async get(path: string): Promise<string> {
      return `${this.base}${path} ${limit.inflight}`;
    }
    @limit.wrap({ cost: (body: string) => body.length })
    async post(body: string): Promise<string> {
      return `${this.base}${body} ${limit.inflight}`;
    }
  }
  expect([await new Api().get("a"), await new Api().post("abc")]).toEqual(["/a 1", "/abc 3"]);
});

test("undefined is in its type only where a call may not be made", () => {
  const limit = limitOf(1);
  const length = (text: string): number => text.length;
  expectTypeOf(limit.wrap(length)).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(limit.wrap(length, { cost: (text) => text.length })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(limit.wrap(length, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(limit.wrap(length, { whenLimited: "throw" })).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(limit.wrap(length, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<number | undefined>();
  const { wrap }: Limiter<Slot | undefined, Slot> = limit;
  expectTypeOf(wrap(length)).returns.resolves.toEqualTypeOf<number>();
});

test("run hands the slot over, and settles it by a rule of one's own", async () => {
  const limit = limitOf(2);
  expect(await limit.run((slot) => [slot.cost, slot.partition], { cost: 2, partition: "mail" })).toEqual([2, "mail"]);
  const classify = (): never => {
    throw new Error("rule");
  };
  await expect(limit.run(() => 1, { classify })).rejects.toThrow("rule");
  expect(limit.inflight).toBe(0);
});

test.each<[unknown[], string]>([
  [[() => 1, { priority: 12 }], "priority is 12; give a whole number from -9 to 9"],
  [[() => 1, { partition: "post" }], 'partition is "post"; there is no such partition; known are "mail"'],
  [[() => 1, { timeout: "soon" }], 'timeout is "soon"; give milliseconds'],
  [[() => 1, { signal: 5 }], "signal is 5; give an AbortSignal"],
  [[() => 1, { classify: "http" }], 'classify is "http"; give a function of how a call ended'],
  [[{ costs: 2 }], "costs: there is no such option; did you mean cost?"],
  [
    [() => 1, "name"],
    'options is "name"; give { cost, whenLimited, signal, timeout, priority, partition, classify }. As a decorator',
  ],
  [[undefined], "wrap is undefined; give a function"],
])("wrap refuses %j", (given, message) => {
  expect(() => (limitOf(1).wrap as (...all: unknown[]) => unknown)(...given)).toThrow(
    expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringContaining(message) }),
  );
});
