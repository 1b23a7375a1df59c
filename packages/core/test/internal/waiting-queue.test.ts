import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type QueueOptions, type Wait, WaitingQueue } from "../../src/internal/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A queue in virtual time, and what became of those who joined, in order, as `<name>: <answer>@<ms>`. */
function world(options: Partial<QueueOptions<Wait>> = {}) {
  const runtime = new VirtualRuntime();
  const queue = new WaitingQueue<string>({
    runtime,
    maxWaiters: 100,
    acquireTimeoutMs: 1_000,
    timeoutError: ({ cost }, timeoutMs, retryAfterMs) =>
      new Error(`no ${cost} within ${timeoutMs}${retryAfterMs === undefined ? "" : `, retry after ${retryAfterMs}`}`),
    ...options,
  });
  const seen: string[] = [];
  const join = (name: string, { cost = 1, timeoutMs, signal, priority }: Partial<Wait> = {}): void =>
    void queue.join({ cost, timeoutMs, signal, priority }).then(
      (answer) => seen.push(`${name}: ${answer}@${runtime.now()}`),
      (error: unknown) => seen.push(`${name}: ${error instanceof Error ? error.message : error}@${runtime.now()}`),
    );
  return { runtime, queue, seen, join };
}

describe("a waiting queue", () => {
  it.each([
    ["fifo", ["a: served@0", "b: served@0", "c: served@0"]],
    ["lifo", ["c: served@0", "b: served@0", "a: served@0"]],
  ] as const)("is served in its order: %s", async (order, expected) => {
    const { runtime, queue, seen, join } = world({ order });
    for (const name of ["a", "b", "c"]) join(name);
    while (queue.first) queue.first.answer("served");
    await runtime.advance(5_000);
    expect(seen).toEqual(expected);
    expect(queue.size).toBe(0);
  });

  it.each([
    ["fifo", ["c", "f", "a", "d", "b", "e"]],
    ["lifo", ["f", "c", "d", "a", "e", "b"]],
  ] as const)("serves the highest priority first, and each priority in its order: %s", async (order, expected) => {
    const { runtime, queue, seen, join } = world({ order });
    for (const [name, priority] of Object.entries({ a: 0, b: -9, c: 9, d: undefined, e: -9, f: 9 }))
      join(name, { priority });
    expect(queue.last?.priority).toBe(-9);
    while (queue.first) queue.first.answer("served");
    await runtime.advance(0);
    expect(seen.map((text) => text[0])).toEqual(expected);
  });

  it("whose callers have one signal serves none of them with what the first gives up", async () => {
    const { runtime, queue, seen, join } = world();
    // What the first that gives up leaves is for the next.
    let left = 1;
    queue.onGiveUp = () => {
      if (left-- > 0) queue.first?.answer("handed on");
    };
    const controller = new AbortController();
    const { signal } = controller;
    join("a", { signal });
    join("b", { signal, priority: -1 });
    join("c", { signal: AbortSignal.any([signal]) });
    for (const name of ["d", "e"]) join(name, { priority: -2 });
    controller.abort("aborted");
    // Each of the three left once: only then is this the number of those that still wait.
    expect(queue.size).toBe(1);
    await runtime.advance(0);
    expect(seen.toSorted()).toEqual(["a: aborted@0", "b: aborted@0", "c: aborted@0", "d: handed on@0"]);
  });

  it("serves one whose time is up, where a listener of that does so, and counts it once", async () => {
    const { runtime, queue, seen, join } = world();
    queue.onTimeout = (waiter) => waiter.answer("served");
    join("a", { timeoutMs: 10 });
    join("b", { timeoutMs: 500 });
    await runtime.advance(10);
    expect([seen, queue.size]).toEqual([["a: served@10"], 1]);
    queue.failAll("stopped");
    expect(queue.size).toBe(0);
  });

  it("keeps one first that was served in part, until it leaves", async () => {
    const { runtime, queue, seen, join } = world();
    join("begun", { priority: -9 });
    const begun = queue.first;
    if (begun) queue.keepFirst(begun);
    join("important", { priority: 9 });
    expect(queue.first).toBe(begun);
    begun?.answer("served");
    queue.first?.answer("served");
    await runtime.advance(0);
    expect(seen).toEqual(["begun: served@0", "important: served@0"]);
  });

  it("fails with the time that was up: the call's own, or the queue's; and with what its owner knows", async () => {
    const { runtime, queue, seen, join } = world();
    join("too late", { timeoutMs: 50 });
    queue.first?.expire(70);
    join("own", { timeoutMs: 1_500 });
    join("queue's", { cost: 3 });
    join("at once", { timeoutMs: 0 });
    await runtime.advance(2_000);
    expect(seen).toEqual([
      "too late: no 1 within 50, retry after 70@0",
      "at once: no 1 within 0@0",
      "queue's: no 3 within 1000@1000",
      "own: no 1 within 1500@1500",
    ]);
  });

  it("ends no wait that nobody set a time for, and keeps the process running until it is over", async () => {
    const { runtime, queue, seen, join } = world({ acquireTimeoutMs: undefined });
    const waits: (boolean | undefined)[] = [];
    const set = runtime.setTimer.bind(runtime);
    runtime.setTimer = (callback, delayMs, options?: { readonly keepAlive?: boolean }) => {
      waits.push(options?.keepAlive);
      return set(callback, delayMs);
    };
    join("patient");
    await runtime.advance(40 * 86_400_000);
    expect(seen).toEqual([]);
    expect(waits.length).toBeGreaterThan(1);
    expect(waits.every((keepAlive) => keepAlive !== false)).toBe(true);
    expect(runtime.pendingTimers).toBe(1);
    queue.first?.answer("served");
    await runtime.advance(0);
    expect(seen).toEqual(["patient: served@3456000000"]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("fails whose signal aborts with its reason, and tells its owner who has left on its own", async () => {
    const { runtime, queue, seen, join } = world();
    const left: number[] = [];
    let empty = 0;
    queue.onGiveUp = ({ cost }) => left.push(cost);
    queue.onEmpty = () => {
      empty += 1;
    };
    const abort = new AbortController();
    join("aborted", { cost: 1, signal: abort.signal });
    join("late", { cost: 2, timeoutMs: 100 });
    join("served", { cost: 3, signal: abort.signal });
    abort.abort("enough");
    expect([queue.size, empty]).toEqual([1, 0]);
    await runtime.advance(200);
    expect([queue.size, empty]).toEqual([0, 1]);
    expect(seen).toEqual(["aborted: enough@0", "served: enough@0", "late: no 2 within 100@100"]);
    expect(left).toEqual([1, 3, 2]);
    join("served", { signal: new AbortController().signal });
    queue.first?.answer("yes");
    await runtime.advance(2_000);
    expect([seen.at(-1), left.length, empty]).toEqual(["served: yes@200", 3, 2]);
  });

  it("refuses more than maxWaiters, counting those about to be served", async () => {
    const { runtime, queue, seen, join } = world({ maxWaiters: 2 });
    join("a");
    join("b");
    if (queue.first) queue.take(queue.first);
    expect([queue.size, queue.queued]).toEqual([2, 1]);
    expect(() => queue.join({ cost: 1, timeoutMs: undefined, signal: undefined })).toThrowError(
      expect.objectContaining({ code: "DT_QUEUE_FULL", message: expect.stringContaining("maxWaiters is 2") }),
    );
    queue.failAll("over");
    join("c");
    await runtime.advance(1_000);
    expect(seen).toEqual(["b: over@0", "a: no 1 within 1000@1000", "c: no 1 within 1000@1000"]);
  });

  it.each(["fifo", "lifo"] as const)("puts back who was taken out before everybody else: %s", async (order) => {
    const { runtime, queue, seen, join } = world({ order });
    for (const name of ["a", "b", "c"]) join(name);
    const taken = queue.first;
    if (taken) queue.take(taken);
    const next = queue.first;
    if (taken) queue.putBack(taken);
    expect(queue.first).toBe(taken);
    taken?.answer("first");
    expect(queue.first).toBe(next);
    await runtime.advance(1_000);
    expect(seen[0]).toBe(order === "fifo" ? "a: first@0" : "c: first@0");
  });

  it("whatever happens, everybody is answered once, the count is right, and nothing is left behind", async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("join" as const),
        timeoutMs: fc.option(fc.nat(300), { nil: undefined }),
        priority: fc.constantFrom(undefined, -1, 3),
      }),
      fc.record({
        kind: fc.constantFrom("serve", "keepFirst", "expire", "take", "putBack", "abort", "failAll", "wait"),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("fifo", "lifo"), fc.array(step, { maxLength: 60 }), async (order, steps) => {
        const { runtime, queue, seen, join } = world({ order: order as "fifo", maxWaiters: 1_000 });
        let joined = 0;
        let abort = new AbortController();
        const taken: NonNullable<typeof queue.first>[] = [];
        queue.onGiveUp = (waiter) => void (taken.includes(waiter) && taken.splice(taken.indexOf(waiter), 1));
        for (const { kind, ...rest } of steps) {
          const { first } = queue;
          if (kind === "join") {
            join(`${joined++}`, { ...rest, ...(joined % 2 === 0 && { signal: abort.signal }) });
          } else if (kind === "abort") {
            abort.abort("aborted");
            abort = new AbortController();
          } else if (kind === "wait") await runtime.advance(100);
          else if (kind === "failAll") queue.failAll("failed");
          else if (kind === "putBack") {
            const last = taken.pop();
            if (last) queue.putBack(last);
          } else if (first) {
            if (kind === "serve") first.answer("served");
            else if (kind === "expire") first.expire();
            else if (kind === "keepFirst") queue.keepFirst(first);
            else {
              queue.take(first);
              taken.push(first);
            }
          }
          await runtime.advance(0);
          expect(queue.size).toBe(joined - seen.length);
          expect(queue.queued).toBe(queue.size - taken.length);
        }
        await runtime.advance(1_000);
        expect([seen.length, queue.size, queue.queued]).toEqual([joined, 0, 0]);
        expect(new Set(seen.map((text) => text.split(":")[0])).size).toBe(joined);
        expect(runtime.pendingTimers).toBe(0);
      }),
    );
  });
});
