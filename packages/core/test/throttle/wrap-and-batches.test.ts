import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createThrottle,
  type Grant,
  MemoryStore,
  type Throttle,
  type ThrottleOptions,
  type WrapOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime();

async function started(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return throttle;
}

describe("wrap", () => {
  it("makes a function obey the limit, with its arguments, its this, its name and its result", async () => {
    await using throttle = await started({ max: 2 });
    const times: number[] = [];
    const client = {
      factor: 3,
      call: throttle.wrap(async function call(this: { factor: number }, n: number): Promise<number> {
        times.push(runtime.now() % 10_000);
        return n * this.factor;
      }),
    };
    const begun = runtime.now() % 10_000;
    const results = Promise.all([1, 2, 3, 4, 5].map((n) => client.call(n)));
    await runtime.advance(2_000);
    expect(await results).toEqual([3, 6, 9, 12, 15]);
    expect(times.map((at) => at - begun)).toEqual([0, 0, 1_000, 1_000, 2_000]);
    expect(client.call.name).toBe("call");
  });

  it("is a standard decorator for methods", async () => {
    await using throttle = await started({ max: 1 });
    class Payments {
      readonly #sent: number[] = [];
      @throttle.wrap
      async charge(amount: number): Promise<number> {
        this.#sent.push(runtime.now());
        return amount + this.#sent.length;
      }
    }
    const payments = new Payments();
    const both = Promise.all([payments.charge(100), payments.charge(200)]);
    await runtime.advance(1_000);
    expect(await both).toEqual([101, 202]);
  });

  it("does not call the function when no token can be had", async () => {
    const throttle = await started({ max: 1 });
    let called = 0;
    const call = throttle.wrap(() => called++);
    await throttle.stop();
    await expect(call()).rejects.toMatchObject({ code: "DT_STOPPED" });
    expect(called).toBe(0);
  });
});

describe("wrap with options", () => {
  it("takes for each call what it costs, by its arguments, and makes it only with all of it", async () => {
    await using throttle = await started({ max: 4 });
    const begun = runtime.now();
    const seen: string[] = [];
    const send = throttle.wrap(
      async (name: string, cost: number) => void seen.push(`${name} ${cost} at ${runtime.now() - begun}`),
      { cost: (_name, cost) => cost },
    );
    const all = Promise.all([send("a", 3), send("b", 3), send("c", 1), send("d", 4)]);
    await runtime.advance(3_000);
    await all;
    // b has one token at once and the other two a second later; nobody overtakes it.
    expect(seen).toEqual(["a 3 at 0", "b 3 at 1000", "c 1 at 1000", "d 4 at 2000"]);
  });

  it("gives up a call whose timeout passes or whose signal aborts, each by its arguments, and gives back what it had collected", async () => {
    await using throttle = await started({ max: 4 });
    let calls = 0;
    const abort = new AbortController();
    const send = throttle.wrap((_late: boolean) => ++calls, {
      cost: 3,
      timeout: (late) => (late ? "200ms" : undefined),
      signal: (late) => (late ? undefined : abort.signal),
    });
    await send(true);
    const [late, aborted] = [send(true), send(false)].map((call) => call.catch((error: unknown) => error));
    await runtime.advance(200);
    expect(await late).toMatchObject({ code: "DT_TIMEOUT" });
    abort.abort("enough");
    expect(await aborted).toBe("enough");
    expect(calls).toBe(1);
    expect(throttle.tryAcquireUpTo(4)).toBe(1);
  });

  it("has undefined in its type only where a call may not be made", async () => {
    await using throttle = await started();
    const length = (text: string): number => text.length;
    expectTypeOf(throttle.wrap(length)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(throttle.wrap(length, { cost: (text) => text.length })).returns.resolves.toEqualTypeOf<number>();
    const timed = throttle.wrap(length, { timeout: (text) => text.length });
    expectTypeOf(timed).returns.resolves.toEqualTypeOf<number>();
    const skips = throttle.wrap(length, { whenLimited: "skip" });
    expectTypeOf(skips).returns.resolves.toEqualTypeOf<number | undefined>();
    const options: WrapOptions<[string]> = { timeout: 5 };
    expectTypeOf(throttle.wrap(length, options)).returns.resolves.toEqualTypeOf<number | undefined>();
    expectTypeOf(() => throttle.acquire(1, { timeout: 5 })).returns.resolves.toEqualTypeOf<void>();
    expectTypeOf(() => throttle.acquireUpTo(1, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => throttle.acquireGrant(1, {})).returns.resolves.toEqualTypeOf<Grant>();
  });

  it("decorates methods, with the arguments of each call and its this", async () => {
    await using throttle = await started({ max: 3 });
    const costs: number[] = [];
    class Mailer {
      readonly size = 2;
      @throttle.wrap({
        cost(this: unknown, to: string[]): number {
          costs.push(to.length + (this as Mailer).size);
          return to.length;
        },
      })
      async send(to: string[]): Promise<string> {
        return to.join("+");
      }
    }
    expect(await new Mailer().send(["ann", "bob"])).toBe("ann+bob");
    expect(costs).toEqual([4]);
    expect(throttle.status().used).toBe(2);
  });

  it.each<[unknown[], string]>([
    [[() => 1, { timeout: "soon" }], 'timeout is "soon"; give milliseconds'],
    [[() => 1, { signal: 5 }], "signal is 5; give an AbortSignal"],
    [[() => 1, { costs: 2 }], "costs: there is no such option; did you mean cost?"],
    [[() => 1, "name"], 'options is "name"; give { cost, whenLimited, signal, timeout, priority }. As a decorator'],
    [[undefined], "wrap is undefined; give a function"],
  ])("refuses %j", async (given, message) => {
    await using throttle = await started();
    expect(() => (throttle.wrap as (...all: unknown[]) => unknown)(...given)).toThrowError(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });

  it("refuses a call that costs nothing, a part of a token, or more than max", async () => {
    await using throttle = await started({ max: 4 });
    const send = throttle.wrap((cost: number) => cost, { cost: (cost) => cost });
    for (const cost of [0, 1.5, Number.NaN, 5])
      await expect(send(cost)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    expect(throttle.status().used).toBe(0);
  });
});

describe("batches", () => {
  async function* numbers(count: number): AsyncGenerator<number> {
    for (let i = 0; i < count; i++) yield i;
  }

  it("reads at most what is granted, in order, and nothing is lost", async () => {
    await using throttle = await started({ max: 10 });
    const seen: number[][] = [];
    const done = (async () => {
      for await (const batch of throttle.batches(numbers(25), { size: 7 })) seen.push(batch);
    })();
    await runtime.advance(3_000);
    await done;
    expect(seen.map((batch) => batch.length)).toEqual([7, 3, 7, 3, 5]);
    expect(seen.flat()).toEqual(Array.from({ length: 25 }, (_, i) => i));
  });

  it("deposits what was granted and not read", async () => {
    await using throttle = await started({ max: 10 });
    const done = (async () => {
      for await (const batch of throttle.batches([1, 2, 3])) expect(batch).toEqual([1, 2, 3]);
    })();
    await runtime.advance(10);
    await done;
    expect(throttle.status().used).toBe(3);
    expect(throttle.tryAcquireUpTo(10)).toBe(7);
  });

  it("lets a batch go out smaller when the source is slow, and asks for no tokens while it is idle", async () => {
    await using throttle = await started({ max: 10 });
    async function* slow(): AsyncGenerator<string> {
      yield "a";
      yield "b";
      await new Promise<void>((resolve) => runtime.setTimer(resolve, 5_500));
      yield "c";
    }
    const seen: string[][] = [];
    const done = (async () => {
      for await (const batch of throttle.batches(slow(), { size: 10, linger: 50 })) seen.push(batch);
    })();
    await runtime.advance(100);
    expect(seen).toEqual([["a", "b"]]);
    await runtime.advance(3_000);
    expect(throttle.status().used).toBe(0);
    await runtime.advance(3_000);
    await done;
    expect(seen).toEqual([["a", "b"], ["c"]]);
  });

  it("closes the source when the loop is left early", async () => {
    await using throttle = await started({ max: 10 });
    let closed = false;
    async function* source(): AsyncGenerator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    }
    for await (const batch of throttle.batches(source(), { size: 2 })) {
      expect(batch).toEqual([0, 1]);
      break;
    }
    expect(closed).toBe(true);
  });

  it("passes an error of the source on", async () => {
    await using throttle = await started({ max: 10 });
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error("disk full");
    }
    const read = async (): Promise<void> => {
      for await (const batch of throttle.batches(failing(), { size: 1 })) expect(batch).toEqual([1]);
    };
    await expect(read()).rejects.toThrowError("disk full");
  });

  it.each([
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw new Error("disk full");
    },
    function* failingAtOnce(): Generator<number> {
      yield 1;
      yield 2;
      throw new Error("disk full");
    },
  ])("hands out what was read before the source failed, then throws its error (%o)", async (failing) => {
    await using throttle = await started({ max: 10 });
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of throttle.batches(failing(), { size: 5 })) seen.push(...batch);
    };
    await expect(read()).rejects.toThrowError("disk full");
    expect(seen).toEqual([1, 2]);
    expect(throttle.status().used).toBe(2);
  });

  it("can be left while the source is idle", async () => {
    await using throttle = await started({ max: 10 });
    async function* idle(): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => undefined);
    }
    let left = false;
    void (async () => {
      for await (const batch of throttle.batches(idle())) {
        expect(batch).toEqual([1]);
        break;
      }
      left = true;
    })();
    await runtime.advance(1_000);
    expect(left).toBe(true);
  });

  it("reads a string, and refuses what cannot be iterated", async () => {
    await using throttle = await started({ max: 10 });
    expect((await throttle.batches("ab").next()).value).toEqual(["a", "b"]);
    await expect(throttle.batches(5 as unknown as string).next()).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: "source is 5; give an iterable or an async iterable",
    });
  });
});

it("batches end their wait for a source that is idle when the signal aborts", async () => {
  await using throttle = await started();
  const controller = new AbortController();
  const idle = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  const batches = throttle.batches(idle, { signal: controller.signal });
  const first = batches.next().catch((reason: unknown) => reason);
  await runtime.advance(1_000);
  controller.abort("enough");
  expect(await first).toBe("enough");
  expect(await batches.next()).toEqual({ done: true, value: undefined });
});

it("batches read nothing of a source once the signal has aborted", async () => {
  await using throttle = await started();
  let reads = 0;
  const source = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: ++reads }) }) };
  const batches = throttle.batches(source, { signal: AbortSignal.abort("over") });
  await expect(batches.next()).rejects.toBe("over");
  expect(reads).toBe(0);
});
