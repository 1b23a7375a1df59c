import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type QueueOptions, type Wait, WaitingQueue } from "../../src/internal/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A line in virtual time, and what became of those who joined, in order, as `<name>: <answer>@<ms>`. */
function world(options: Partial<QueueOptions<Wait>> = {}) {
  const runtime = new VirtualRuntime();
  const line = new WaitingQueue<string>({
    runtime,
    maxWaiters: 100,
    acquireTimeoutMs: 1_000,
    timeoutError: ({ cost }) => new Error(`no ${cost} in time`),
    ...options,
  });
  const seen: string[] = [];
  const join = (name: string, { cost = 1, timeoutMs, signal }: Partial<Wait> = {}): void =>
    void line.join({ cost, timeoutMs, signal }).then(
      (answer) => seen.push(`${name}: ${answer}@${runtime.now()}`),
      (error: unknown) => seen.push(`${name}: ${error instanceof Error ? error.message : error}@${runtime.now()}`),
    );
  return { runtime, line, seen, join };
}

describe("a waiting line", () => {
  it.each([
    ["fifo", ["a: served@0", "b: served@0", "c: served@0"]],
    ["lifo", ["c: served@0", "b: served@0", "a: served@0"]],
  ] as const)("is served in its order: %s", async (order, expected) => {
    const { runtime, line, seen, join } = world({ order });
    for (const name of ["a", "b", "c"]) join(name);
    while (line.first) line.first.answer("served");
    await runtime.advance(5_000);
    expect(seen).toEqual(expected);
    expect(line.size).toBe(0);
  });

  it("answers undefined when a call's own time is up, and fails with the line's error where it set none", async () => {
    const { runtime, seen, join } = world();
    join("own", { timeoutMs: 1_500 });
    join("line's", { cost: 3 });
    join("at once", { timeoutMs: 0 });
    await runtime.advance(2_000);
    expect(seen).toEqual(["at once: undefined@0", "line's: no 3 in time@1000", "own: undefined@1500"]);
  });

  it("ends no wait that nobody set a time for, and keeps the process running until it is over", async () => {
    const { runtime, line, seen, join } = world({ acquireTimeoutMs: undefined });
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
    line.first?.answer("served");
    await runtime.advance(0);
    expect(seen).toEqual(["patient: served@3456000000"]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("fails whose signal aborts with its reason, and tells its owner who has left on its own", async () => {
    const { runtime, line, seen, join } = world();
    const left: number[] = [];
    let empty = 0;
    line.onGiveUp = ({ cost }) => left.push(cost);
    line.onEmpty = () => {
      empty += 1;
    };
    const abort = new AbortController();
    join("aborted", { cost: 1, signal: abort.signal });
    join("late", { cost: 2, timeoutMs: 100 });
    join("served", { cost: 3, signal: abort.signal });
    abort.abort("enough");
    expect([line.size, empty]).toEqual([1, 0]);
    await runtime.advance(200);
    expect([line.size, empty]).toEqual([0, 1]);
    expect(seen).toEqual(["aborted: enough@0", "served: enough@0", "late: undefined@100"]);
    expect(left).toEqual([1, 3, 2]);
    join("served", { signal: new AbortController().signal });
    line.first?.answer("yes");
    await runtime.advance(2_000);
    expect([seen.at(-1), left.length, empty]).toEqual(["served: yes@200", 3, 2]);
  });

  it("refuses more than maxWaiters, counting those about to be served", async () => {
    const { runtime, line, seen, join } = world({ maxWaiters: 2 });
    join("a");
    join("b");
    if (line.first) line.take(line.first);
    expect([line.size, line.queued]).toEqual([2, 1]);
    expect(() => line.join({ cost: 1, timeoutMs: undefined, signal: undefined })).toThrowError(
      expect.objectContaining({ code: "DT_QUEUE_FULL", message: expect.stringContaining("maxWaiters is 2") }),
    );
    line.failAll("over");
    join("c");
    await runtime.advance(1_000);
    expect(seen).toEqual(["b: over@0", "a: no 1 in time@1000", "c: no 1 in time@1000"]);
  });

  it.each(["fifo", "lifo"] as const)("puts back who was taken out before everybody else: %s", async (order) => {
    const { runtime, line, seen, join } = world({ order });
    for (const name of ["a", "b", "c"]) join(name);
    const taken = line.first;
    if (taken) line.take(taken);
    const next = line.first;
    if (taken) line.putBack(taken);
    expect(line.first).toBe(taken);
    taken?.answer("first");
    expect(line.first).toBe(next);
    await runtime.advance(1_000);
    expect(seen[0]).toBe(order === "fifo" ? "a: first@0" : "c: first@0");
  });

  it("whatever happens, everybody is answered once, the count is right, and nothing is left behind", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("join" as const), timeoutMs: fc.option(fc.nat(300), { nil: undefined }) }),
      fc.record({ kind: fc.constantFrom("serve", "expire", "take", "putBack", "abort", "failAll", "wait") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("fifo", "lifo"), fc.array(step, { maxLength: 60 }), async (order, steps) => {
        const { runtime, line, seen, join } = world({ order: order as "fifo", maxWaiters: 1_000 });
        let joined = 0;
        let abort = new AbortController();
        const taken: NonNullable<typeof line.first>[] = [];
        line.onGiveUp = (waiter) => void (taken.includes(waiter) && taken.splice(taken.indexOf(waiter), 1));
        for (const { kind, ...rest } of steps) {
          const { first } = line;
          if (kind === "join") {
            join(`${joined++}`, { ...rest, ...(joined % 2 === 0 && { signal: abort.signal }) });
          } else if (kind === "abort") {
            abort.abort("aborted");
            abort = new AbortController();
          } else if (kind === "wait") await runtime.advance(100);
          else if (kind === "failAll") line.failAll("failed");
          else if (kind === "putBack") {
            const last = taken.pop();
            if (last) line.putBack(last);
          } else if (first) {
            if (kind === "serve") first.answer("served");
            else if (kind === "expire") first.expire();
            else {
              line.take(first);
              taken.push(first);
            }
          }
          await runtime.advance(0);
          expect(line.size).toBe(joined - seen.length);
          expect(line.queued).toBe(line.size - taken.length);
        }
        await runtime.advance(1_000);
        expect([seen.length, line.size, line.queued]).toEqual([joined, 0, 0]);
        expect(new Set(seen.map((text) => text.split(":")[0])).size).toBe(joined);
        expect(runtime.pendingTimers).toBe(0);
      }),
    );
  });
});
