import { describe, expect, expectTypeOf, it } from "vitest";
import type { Duration } from "../../src/internal/duration.ts";
import * as option from "../../src/internal/option.ts";
import { type Settings, settingsOf, type TableOf } from "../../src/internal/options.ts";
import { systemRuntime } from "../../src/runtime/system-runtime.ts";

interface Given {
  readonly name: string;
  readonly every?: Duration;
  readonly most?: number;
  readonly order?: "fifo" | "lifo";
  readonly patience?: Duration;
  readonly strict?: boolean;
  readonly growth?: "aimd" | { readonly type: "aimd"; readonly by?: number; readonly for?: Duration };
  readonly tell?: (text: string) => void;
  readonly dependent?: number;
}

const TABLE = {
  name: option.name,
  every: option.duration(10, 86_400_000).or("1s"),
  most: option.integer(1, 5).or(3),
  order: option.oneOf("fifo", "lifo").or("fifo"),
  patience: option.duration(0).optional,
  strict: option.boolean.or(false),
  growth: option
    .byType({ aimd: { by: option.positive.or(1), for: option.duration(0).or(5) } }, 'give "aimd"')
    .or("aimd"),
  tell: option.callback<Given["tell"]>().optional,
  dependent: option.later,
} satisfies TableOf<Given>;

const check = (options: object) => settingsOf(TABLE, options);

describe("settings", () => {
  it("have each option, durations in milliseconds, and defaults", () => {
    expect(check({ name: "n" })).toEqual({
      name: "n",
      everyMs: 1_000,
      most: 3,
      order: "fifo",
      patienceMs: undefined,
      strict: false,
      growth: { type: "aimd", by: 1, forMs: 5 },
      tell: undefined,
    });
    const { growth } = check({ name: "n", growth: { type: "aimd", by: 2, for: "1s" } });
    expect(growth).toEqual({ type: "aimd", by: 2, forMs: 1_000 });
  });

  it("have the types that their table and their interface say", () => {
    const settings = check({ name: "n", dependent: 7 });
    expect(settings).not.toHaveProperty("dependent");
    expectTypeOf(settings).toEqualTypeOf<{
      readonly name: string;
      readonly everyMs: number;
      readonly most: number;
      readonly order: "fifo" | "lifo";
      readonly patienceMs: number | undefined;
      readonly strict: boolean;
      readonly growth: { readonly type: "aimd" } & { readonly by: number; readonly forMs: number };
      readonly tell: ((text: string) => void) | undefined;
    }>();
    expectTypeOf(settings).toExtend<Settings<Omit<Given, "dependent" | "growth">, "patience" | "tell">>();
    expectTypeOf(settings).not.toExtend<Settings<Pick<Given, "patience">>>();
  });

  it.each<[object | undefined, string]>([
    [undefined, "options is undefined; give an object; its keys are name, every, most"],
    [{ name: "n", evry: 9 }, "evry: there is no such option; did you mean every? known are name, every"],
    [{}, "name is undefined; give a non-empty string"],
    [{ name: "n", every: 9 }, "every is 9; give at least 10 ms"],
    [{ name: "n", every: "2d" }, 'every is "2d"; give at most 1 days'],
    [{ name: "n", most: 6 }, "most is 6; give a whole number from 1 to 5"],
    [{ name: "n", order: "best" }, 'order is "best"; give "fifo" or "lifo"'],
    [{ name: "n", every: null }, "every is null; give milliseconds"],
    [{ name: "n", most: null }, "most is null; give a whole number from 1 to 5"],
    [{ name: "n", order: null }, 'order is null; give "fifo" or "lifo"'],
    [{ name: "n", strict: null }, "strict is null; give true or false"],
    [{ name: "n", patience: null }, "patience is null; give milliseconds"],
    [{ name: "n", strict: 1 }, "strict is 1; give true or false"],
    [{ name: "n", tell: "me" }, 'tell is "me"; give a function, or leave it out'],
    [{ name: "n", growth: "toString" }, 'growth is "toString"; give "aimd"'],
    [{ name: "n", growth: { type: "aimd", by: 0 } }, "growth.by is 0; give a number more than 0"],
    [{ name: "n", growth: { type: "aimd", bye: 1 } }, "growth.bye: there is no such option; did you mean growth.by?"],
  ])("%o are refused by name, value and remedy", (options, message) => {
    expect(() => check(options as object)).toThrowError(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });

  it("check what stands for an option that is left out, too", () => {
    const table = { runtime: option.runtime, part: option.having<{ go(): void }>(["go"], "give a part").or({}) };
    expect(() => settingsOf(table, {})).toThrow("part is an object; give a part");
    const part = { go: () => undefined };
    expect(settingsOf(table, { part })).toEqual({ runtime: systemRuntime, part });
  });
});
