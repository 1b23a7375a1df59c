import { describe, expect, it } from "vitest";
import { createThrottle, isDtError, MemoryStore, type ThrottleOptions } from "../../src/index.ts";

const store = new MemoryStore();

function refusalOf(options: Record<string, unknown>): string {
  try {
    createThrottle({ name: "g", max: 10, store, ...options } as ThrottleOptions);
  } catch (error) {
    if (isDtError(error, "DT_INVALID_OPTION")) return error.message;
    throw error;
  }
  throw new Error("accepted");
}

describe("every wrong option is refused by its name, its value and the remedy", () => {
  it.each<[Record<string, unknown>, string, string, string]>([
    [{ name: "" }, "name", '""', "non-empty"],
    [{ name: 7 }, "name", "7", "string"],
    [{ name: "x".repeat(1_025) }, "name", "xxx", "1024 bytes"],
    [{ name: "a\ud800" }, "name", "", "Unicode"],
    [{ max: Number.NaN }, "max", "NaN", "whole number"],
    [{ max: 0 }, "max", "0", "from 1"],
    [{ max: -5 }, "max", "-5", "from 1"],
    [{ max: 1e12 + 1 }, "max", "1000000000001", "to 1000000000000"],
    [{ max: 1.5 }, "max", "1.5", "whole number"],
    [{ max: "10" }, "max", '"10"', "whole number"],
    [{ min: 11, rampUp: "1s" }, "min", "11", "at most max (10)"],
    [{ min: 1 }, "rampUp", "undefined", "60s"],
    [{ min: 1, rampUp: "fast" }, "rampUp", '"fast"', "60s"],
    [{ interval: 0 }, "interval", "0", "at least 10 ms"],
    [{ interval: "-1s" }, "interval", '"-1s"', "milliseconds"],
    [{ validity: "10s", staleAfter: "10s" }, "validity", "10s", "raise staleAfter to at least"],
    [{ validity: "9s", staleAfter: "10s" }, "validity", "9s", "below staleAfter"],
    [{ interval: "10s", staleAfter: "10s" }, "staleAfter", "10s", "raise staleAfter"],
    [{ syncInterval: "8s" }, "syncInterval", "8s", "less than validity"],
    [{ learning: "365d" }, "learning", "365d", "at most twice staleAfter (20000 ms)"],
    [{ learning: "21s", validity: "5s", staleAfter: "10s" }, "learning", "21s", "20000 ms"],
    [{ mode: "fast" }, "mode", '"fast"', "goBackN"],
    [{ mode: { type: "onlyIfUsed", threshold: 101 } }, "mode.threshold", "101", "0 to 100"],
    [{ mode: { type: "goBackN", rampDown: -1 } }, "mode.rampDown", "-1", "0 to 100"],
    [{ mode: "constructor" }, "mode", '"constructor"', "goBackN"],
    [{ mode: "__proto__" }, "mode", '"__proto__"', "goBackN"],
    [{ mode: { type: "toString" } }, "mode", "an object", "goBackN"],
    [{ mode: { type: "onlyIfUsed", threshold: 1n } }, "mode.threshold", "1n", "0 to 100"],
    [{ max: 1n }, "max", "1n", "whole number"],
    [{ interval: 1_000n }, "interval", "1000n", "milliseconds"],
    [{ release: "odd" }, "release", '"odd"', '"even"'],
    [{ burst: 0 }, "burst", "0", ">= 1"],
    [{ burst: 5 }, "burst", "5", 'give release: "even" too'],
    [{ burst: 5, release: "epoch" }, "burst", "5", 'give release: "even" too'],
    [{ rampUp: "1m" }, "rampUp", '"1m"', "give min too"],
    [{ store: "redis://localhost" }, "store", "redis://localhost", "MemoryStore"],
    [{ memberId: "" }, "memberId", '""', "non-empty"],
    [{ onStoreLost: "panic" }, "onStoreLost", '"panic"', "hold"],
    [{ onStoreLost: "__proto__" }, "onStoreLost", '"__proto__"', "hold"],
    [{ onStoreLost: { type: "constructor" } }, "onStoreLost", "an object", "hold"],
    [{ onStoreLost: { type: "hold" } }, "onStoreLost.for", "undefined", "milliseconds"],
    [{ onStoreLost: { type: "floor", maxMembers: 0 } }, "onStoreLost.maxMembers", "0", ">= 1"],
    [{ store: {} }, "store", "an object", "MemoryStore"],
    [{ store: { capabilities: null } }, "store", "an object", "CoordinationStore"],
    [{ store: Object.assign(Object.create(store), { capabilities: null }) }, "store", "an object", "CoordinationStore"],
    [{ store: undefined }, "store", "undefined", "CoordinationStore"],
    [{ maxWaiters: 0 }, "maxWaiters", "0", ">= 1"],
    [{ clockError: 0 }, "clockError", "0", "at least 1 ms"],
    [{ acquireTimeout: "400d" }, "acquireTimeout", '"400d"', "at most 366 days"],
    [{ runtime: {} }, "runtime", "an object", "now is missing"],
  ])("%o", (options, name, value, remedy) => {
    const message = refusalOf(options);
    expect(message).toMatch(new RegExp(`^${name.replace(".", "\\.")} is `));
    expect(message).toContain(value);
    expect(message).toContain(remedy);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ maximum: 3 }, "maximum: there is no such option; known are name, rate, max"],
    [{ limit: 3 }, "limit: there is no such option; did you mean max?"],
    [{ window: "1s" }, "window: there is no such option; did you mean interval?"],
    [{ duration: 1 }, "duration: there is no such option; did you mean interval?"],
    [{ key: "k" }, "key: there is no such option; did you mean name?"],
    [{ group: "n" }, "group: there is no such option; did you mean name?"],
    [
      { mode: { type: "goBackN", treshold: 20 } },
      "mode.treshold: there is no such option; did you mean mode.threshold? known are type, threshold, coolDown, rampDown",
    ],
    [{ mode: { type: "relaxed" } }, 'mode is an object; give "relaxed", which has no options'],
    [{ onStoreLost: { type: "stop" } }, 'onStoreLost is an object; give "stop", which has no options'],
    [{ rate: "10/s" }, "max is 10; give either rate, or max with interval"],
    [
      { rate: "10/s", max: undefined, interval: "1s" },
      'interval is "1s"; leave it out beside rate, which states a time',
    ],
    [{ rate: 0.5, max: undefined }, 'rate is 0.5; give a whole number of tokens: "1/2s" rather than 0.5'],
    [{ rate: "10/5ms", max: undefined }, 'rate is "10/5ms"; give a time of at least 10 ms'],
    [{ rate: "10/w", max: undefined }, 'rate is "10/w"; did you mean'],
    [{ max: undefined }, 'max is undefined; give it, or rate, such as "600/min"'],
    [{ onStoreLost: { type: "hold", forMs: 20 } }, "onStoreLost.forMs: there is no such option; known are type, for"],
  ])("an option that does not exist: %o", (options, message) => {
    expect(refusalOf(options)).toContain(message);
  });

  it("refuses no options at all", () => {
    expect(() => createThrottle(undefined as unknown as ThrottleOptions)).toThrowError(/options is undefined/);
  });
});

describe("defaults", () => {
  it("keep the promise's inequality for every interval", () => {
    for (const interval of [10, 100, "1s", "1m", "1h"] as const)
      expect(() => createThrottle({ name: "g", max: 10, store, interval })).not.toThrow();
  });

  it("follow from one of staleAfter and validity", () => {
    expect(() => createThrottle({ name: "g", max: 10, store, staleAfter: "3s" })).not.toThrow();
    expect(() => createThrottle({ name: "g", max: 10, store, validity: "30s" })).not.toThrow();
  });

  it("recommend a staleAfter that is then accepted", () => {
    const message = refusalOf({ validity: "9s", staleAfter: "10s" });
    const least = Number(/at least (\d+) ms/.exec(message)?.[1]);
    expect(() => createThrottle({ name: "g", max: 10, store, validity: "9s", staleAfter: least })).not.toThrow();
    expect(() => createThrottle({ name: "g", max: 10, store, validity: "9s", staleAfter: least - 5 })).toThrow();
  });
});

describe("calls", () => {
  const throttle = createThrottle({ name: "g", max: 10, store });
  const anything = (value: unknown): never => value as never;

  it.each<[string, () => unknown, string]>([
    [
      "on",
      () => throttle.on(anything("grants"), () => {}),
      'event is "grants"; there is no such event; known are grant, ',
    ],
    ["on", () => throttle.on(anything(Object.create(null)), () => {}), "event is an object; there is no such event"],
    ["on", () => throttle.on("grant", anything("log")), 'listener is "log"; give a function'],
    ["wrap", () => throttle.wrap(anything(5)), "wrap is 5; give a function"],
    ["wrap", () => throttle.wrap(anything(Promise.resolve(5))), "wrap is a promise; its call runs already"],
    [
      "update",
      () => throttle.update(anything({ max: 5, rampup: "1s" })),
      "rampup: there is no such option; did you mean rampUp?",
    ],
    [
      "update",
      () => throttle.update({ rate: "600/min" }),
      'rate is "600/min"; keep the interval of the throttle, 1000 ms',
    ],
    ["update", () => throttle.update({ min: 1 }), "max is undefined; give it, or rate"],
    ["update", () => throttle.update(anything(5)), "update is 5; give an object; its keys are rate, max, min, rampUp"],
  ])("%s refuses what it cannot use: %o", (_, call, message) => {
    expect(call).toThrowError(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringContaining(message) }),
    );
  });

  it.each<[unknown, string]>([
    [{ timeOut: 5 }, "timeOut: there is no such option; did you mean timeout? known are signal, timeout, priority"],
    [{ timeout: "soon" }, 'timeout is "soon"'],
    [5, "options is 5; give an object"],
  ])("acquire refuses options that it cannot use, tokens or not: %o", async (options, message) => {
    await expect(throttle.acquireUpTo(1, anything(options))).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining(message),
    });
  });
});

it("a default is never one that would be refused: the longest interval", () => {
  expect(() => createThrottle({ name: "g", max: 10, store, interval: "200d" })).not.toThrow();
});
