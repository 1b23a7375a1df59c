import { describe, expect, expectTypeOf, it } from "vitest";
import { DtError } from "../../src/errors/dt-error.ts";
import type { AcquireOptions } from "../../src/limiter/acquire-options.ts";
import { admitBy, callsOf, type Entrance, SKIPPED } from "../../src/limiter/calls.ts";
import type { WhenLimited } from "../../src/limiter/run.ts";
import type { WrapOptions } from "../../src/limiter/wrap.ts";

interface Right {
  readonly number: number;
}

/** A limiter that admits calls while `free`; a call that has to wait is out of time at once. */
class Doors {
  free = true;
  begun = 0;
  ended = 0;
  readonly seen: unknown[] = [];
  readonly calls = callsOf<Right, number, AcquireOptions, WhenLimited, { readonly classify?: () => string }>({
    options: ["signal", "timeout", "priority"],
    fixed: ["classify"],
    whenLimited: ["wait", "throw", "skip"],
    check: (options) => void this.seen.push(options),
    begin: () => {
      this.begun += 1;
      return () => {
        this.ended += 1;
      };
    },
    admit: (options, whenLimited) => {
      this.seen.push({ ...options, whenLimited });
      return admitBy<Right>(whenLimited, options.timeout, {
        wait: async () => {
          if (this.free) return { number: this.begun };
          throw new DtError("DT_TIMEOUT", "not in time");
        },
        now: () => (this.free ? { number: this.begun } : SKIPPED),
        limited: () => new DtError("DT_LIMITED", "limited", { retryAfterMs: 5 }),
      });
    },
  } satisfies Entrance<Right>);
}

describe("run", () => {
  it("hands the right to the call, and settles as the call does", async () => {
    const doors = new Doors();
    expect(await doors.calls.run((right) => right.number + 1)).toBe(2);
    await expect(doors.calls.run(() => Promise.reject(new Error("ill")))).rejects.toThrow("ill");
    expect([doors.begun, doors.ended]).toEqual([2, 2]);
  });

  it("never answers a call that was not made with undefined, except with skip", async () => {
    const doors = new Doors();
    doors.free = false;
    let made = 0;
    const call = (): number => ++made;
    await expect(doors.calls.run(call)).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await expect(doors.calls.run(call, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await expect(doors.calls.run(call, { whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      retryAfterMs: 5,
    });
    expect(await doors.calls.run(call, { whenLimited: "skip" })).toBeUndefined();
    expect(await doors.calls.run(call, { whenLimited: "skip", timeout: "1s" })).toBeUndefined();
    expect(made).toBe(0);
    expect([doors.begun, doors.ended]).toEqual([5, 5]);
  });

  it("refuses what it does not know, by its name", async () => {
    const { run } = new Doors().calls;
    await expect(run(Promise.resolve() as never)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    await expect(run(() => 1, { whenLimited: "drop" as "skip" })).rejects.toThrow(
      'whenLimited is "drop"; give "wait" or "throw" or "skip"',
    );
    await expect(run(() => 1, { onLimit: "skip" } as object)).rejects.toThrow("onLimit: there is no such option");
  });

  it("has undefined in its type only with skip", () => {
    const { run } = new Doors().calls;
    const call = async (right: Right): Promise<number> => right.number;
    expectTypeOf(() => run(call)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => run(call, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => run(call, { whenLimited: "throw" })).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => run(call, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<number | undefined>();
    const whenLimited = "wait" as WhenLimited;
    expectTypeOf(() => run(call, { whenLimited })).returns.resolves.toEqualTypeOf<number | undefined>();
  });
});

describe("wrap", () => {
  it("passes no right, keeps this, name, length and properties", async () => {
    const doors = new Doors();
    const send = Object.assign(
      async function (this: { factor: number }, n: number, ...rest: unknown[]): Promise<number> {
        return n * this.factor + rest.length;
      },
      { retries: 3 },
    );
    Object.defineProperty(send, "name", { value: "send" });
    const client = { factor: 3, send: doors.calls.wrap(send) };
    expect(await client.send(2)).toBe(6);
    expect([client.send.name, client.send.length, client.send.retries]).toEqual(["send", 1, 3]);
  });

  it("takes options of each call by its arguments and its this, and leaves a fixed function alone", async () => {
    const doors = new Doors();
    const classify = (): string => "success";
    const wrapped = doors.calls.wrap((to: string[], _urgent: boolean) => to.length, {
      cost: (to) => to.length,
      priority: (_to, urgent) => (urgent ? 9 : 0),
      timeout: "1s",
      classify,
    });
    expect(await wrapped(["a", "b"], true)).toBe(2);
    expect(doors.seen).toEqual([
      { timeout: "1s", classify },
      { cost: 2, priority: 9, timeout: "1s", classify, whenLimited: "wait" },
    ]);
  });

  it("takes options of a prototype as well, and no later change of them", async () => {
    class Defaults {
      get cost(): number {
        return 3;
      }
    }
    const doors = new Doors();
    const inherited = Object.create({ timeout: 5 });
    for (const options of [new Defaults(), inherited, Object.assign(new Defaults(), { priority: () => 1 })])
      await doors.calls.wrap(async () => 1, options)();
    await doors.calls.run(() => 1, new Defaults());
    await doors.calls.run(() => 1, inherited);
    const options = { cost: 3 };
    const wrapped = doors.calls.wrap(async () => 1, options);
    options.cost = 1;
    await wrapped();
    const admitted = doors.seen.filter((seen) => Object.hasOwn(seen as object, "whenLimited"));
    expect(admitted).toEqual([
      { cost: 3, whenLimited: "wait" },
      { timeout: 5, whenLimited: "wait" },
      { cost: 3, priority: 1, whenLimited: "wait" },
      { cost: 3, whenLimited: "wait" },
      { timeout: 5, whenLimited: "wait" },
      { cost: 3, whenLimited: "wait" },
    ]);
  });

  it("is a standard decorator, with options and without", async () => {
    const doors = new Doors();
    class Mail {
      readonly cost = 2;
      @doors.calls.wrap
      async send(text: string): Promise<string> {
        return text;
      }
      @doors.calls.wrap({ cost: (text: string) => text.length, whenLimited: "skip" })
      async post(text: string): Promise<string | undefined> {
        return text;
      }
    }
    const mail = new Mail();
    expect([await mail.send("a"), await mail.post("bc")]).toEqual(["a", "bc"]);
    doors.free = false;
    expect(await mail.post("bc")).toBeUndefined();
    expect(doors.seen.at(-1)).toEqual({ cost: 2, whenLimited: "skip" });
  });

  it("gives an untyped caller an error, not undefined", async () => {
    const { wrap } = new Doors().calls;
    // biome-ignore lint/suspicious/noExplicitAny: what a caller without types writes.
    const untyped = wrap as any;
    expect(() => untyped()).toThrow("wrap is undefined; give a function");
    expect(() => untyped(Promise.resolve())).toThrow("is a promise");
    expect(() => untyped(() => 1, "skip")).toThrow('options is "skip"');
    expect(() => untyped(() => 1, { whenLimited: "skipped" })).toThrow("whenLimited");
    expect(() => untyped(() => 1, { onLimit: "skip" })).toThrow("onLimit: there is no such option");
  });

  it.each(["class", "getter", "setter", "accessor"])("is refused as a decorator of a %s", (kind) => {
    const { wrap } = new Doors().calls;
    const decorate = wrap({ cost: 2 }) as (...args: unknown[]) => unknown;
    for (const context of [{ kind, name: "it" }, "before the standard"]) {
      expect(() => decorate(() => 1, context)).toThrow("wrap is ");
      expect(() => (wrap as (...args: unknown[]) => unknown)(() => 1, context)).toThrow(/^(wrap|options) is /);
    }
  });

  it("keeps the type of a function that returns a promise, and makes a promise of any other", () => {
    const { wrap } = new Doors().calls;
    async function generic<T>(value: T): Promise<T> {
      return value;
    }
    function overloaded(value: string): Promise<string>;
    function overloaded(value: number): Promise<number>;
    async function overloaded(value: string | number): Promise<string | number> {
      return value;
    }
    function last(value: string): string;
    function last(value: number): number;
    function last(value: string | number): string | number {
      return value;
    }
    function bound(this: { readonly id: number }, n: number): Promise<number> {
      return Promise.resolve(this.id + n);
    }
    class Builder extends Promise<number> {
      limit(): this {
        return this;
      }
    }
    const wrapped = { generic: wrap(generic), overloaded: wrap(overloaded, { timeout: "1s" }) };
    expectTypeOf(() => wrapped.generic("a" as const)).returns.resolves.toEqualTypeOf<"a">();
    expectTypeOf(() => wrapped.overloaded("a")).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(() => wrapped.overloaded(1)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(wrap(bound)).toEqualTypeOf<typeof bound>();
    expectTypeOf(wrap(last)).toEqualTypeOf<(this: unknown, value: number) => Promise<number>>();
    // The wrapper answers a plain promise: the builder's methods must not be promised.
    expectTypeOf(wrap((_n: number): Builder => new Builder(() => undefined))).returns.toEqualTypeOf<Promise<number>>();
    expectTypeOf(wrap(generic, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<unknown>();
    expectTypeOf(wrap((n: number) => n, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<number | undefined>();
    const options: WrapOptions<[number]> = { timeout: 5 };
    expectTypeOf(wrap((n: number) => n, options)).returns.resolves.toEqualTypeOf<number | undefined>();
  });
});
