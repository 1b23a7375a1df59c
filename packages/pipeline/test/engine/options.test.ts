import { createGuard } from "@dt/adaptive";
import { expect, it } from "vitest";
import * as made from "../../src/index.ts";
import { type PipelineOptions, throttled } from "../../src/index.ts";

it.each<[string, unknown, RegExp]>([
  ["concurrency", 0, /concurrency is 0; give a whole number >= 1/],
  ["groups", 0, /groups is 0; give a whole number from 1 to 10000/],
  ["groups", "name", /groups is "name"; give a number, or a function of a record/],
  ["interval", "soon", /interval is "soon"/],
  ["buffer", -1, /buffer is -1/],
  ["order", true, /order is true; give a function of a record, or leave it out/],
  ["cost", 2, /cost is 2; give a function of a record/],
  ["refuse", "no", /refuse is "no"; give a function/],
  ["rejected", "again", /rejected is "again"; give "dead-letter", "drop", "retry" or/],
  ["rejected", { retry: { retrys: 1 } }, /retrys: there is no such option; did you mean retries/],
  ["rejection", true, /rejection is true; give options of an adaptive throttle/],
  ["rejection", { k: 0 }, /k is 0; give a number above 1/],
  ["classify", "http", /classify is "http"/],
  ["checkpoint", {}, /checkpoint is an object; give what openCheckpoint\(\) opens/],
  ["guard", {}, /guard is an object; give what createGuard\(\) makes/],
  ["throttle", {}, /throttle is an object; give what createThrottle/],
  ["success", 1, /success is 1; give a sink/],
  ["signal", {}, /signal is an object; give an AbortSignal/],
  ["drainTimeout", -1, /drainTimeout is -1/],
  ["patience", "long", /patience is "long"/],
  ["concurency", 3, /concurency: there is no such option; did you mean concurrency/],
])("the option %s %j is refused, with the remedy", (name, value, message) => {
  expect(() => throttled([], () => undefined, { [name]: value } as PipelineOptions)).toThrow(message);
});

it("parts beside a guard are refused: it has its own", () => {
  const guard = createGuard();
  expect(() => throttled([], () => undefined, { guard, maxPause: "1s" })).toThrow(/maxPause is "1s"; leave it out/);
});

it("what is no source, and what is no call, is refused", () => {
  for (const source of [undefined, null, 1, "text", {}])
    expect(() => throttled(source as never, () => undefined)).toThrow(/source is .*; give an iterable/);
  expect(() => throttled([], "call" as never)).toThrow(/call is "call"; give a function of a record/);
});

it("a pipeline is run once", async () => {
  const pipeline = throttled([1], () => undefined);
  expect(pipeline.status()).toMatchObject({ state: "ready", read: 0 });
  await pipeline.run();
  await expect(pipeline.run()).rejects.toMatchObject({ code: "DT_STOPPED" });
  await expect(pipeline[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "DT_STOPPED" });
});

it("a pipeline is made by throttled, which checks its options, and by no constructor", () => {
  expect(made).not.toHaveProperty("Pipeline");
});
