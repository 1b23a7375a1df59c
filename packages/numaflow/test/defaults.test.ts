import type { ModeOption } from "@dt/core";
import { describe, expect, it } from "vitest";
import { throttleOptionsOf } from "../src/index.ts";
import { pipelineOf, reportOf, rows, withLimit } from "./support/spec.ts";

/** Every field of Numaflow's API, given and left out. */

const modeOf = (modes: object): ModeOption => throttleOptionsOf(withLimit({ max: 9, modes })).mode;

describe("a field that is left out has Numaflow's default", () => {
  it("where only max is given", () => {
    expect(throttleOptionsOf(withLimit({ max: 9 }))).toEqual({
      name: "pl-v-pl",
      max: 9,
      min: 1,
      rampUp: 1_000,
      mode: "relaxed",
      interval: 1_000,
    });
    expect(rows(reportOf(withLimit({ max: 9 }))).map(([field, value, from]) => [field, value, from])).toEqual([
      ["max", "9", "vertex"],
      ["min", "1", "default"],
      ["rampUpDuration", "1s", "default"],
      ["resumedRampUp", "false", "default"],
      ["ttl", "180s", "default"],
      ["modes", "relaxed", "default"],
      ["store", "in memory", "default"],
    ]);
  });

  it.each<[object, ModeOption]>([
    [{}, "relaxed"],
    [{ relaxed: {} }, "relaxed"],
    [{ scheduled: {} }, "scheduled"],
    [{ onlyIfUsed: {} }, { type: "onlyIfUsed", threshold: 50 }],
    [{ onlyIfUsed: { thresholdPercentage: 0 } }, { type: "onlyIfUsed", threshold: 0 }],
    [{ goBackN: {} }, { type: "goBackN", threshold: 50, coolDown: 5_000, rampDown: 50 }],
    [{ goBackN: { thresholdPercentage: 7 } }, { type: "goBackN", threshold: 7, coolDown: 5_000, rampDown: 50 }],
    [{ goBackN: { coolDownPeriod: "1m" } }, { type: "goBackN", threshold: 50, coolDown: 60_000, rampDown: 50 }],
    [{ goBackN: { rampDownPercentage: 100 } }, { type: "goBackN", threshold: 50, coolDown: 5_000, rampDown: 100 }],
  ])("of the modes %j", (modes, mode) => {
    expect(modeOf(modes)).toEqual(mode);
  });

  it("of the numbers of a mode, each by itself", () => {
    expect(rows(reportOf(withLimit({ max: 9, modes: { goBackN: { coolDownPeriod: "2s" } } }))).slice(5, 9)).toEqual([
      ["modes", "goBackN", "vertex", 'mode: "goBackN"'],
      ["modes.goBackN.coolDownPeriod", "2s", "vertex", "mode.coolDown: 2000"],
      ["modes.goBackN.rampDownPercentage", "50", "default", "mode.rampDown: 50"],
      ["modes.goBackN.thresholdPercentage", "50", "default", "mode.threshold: 50"],
    ]);
  });
});

describe("of several modes one counts", () => {
  const all = { relaxed: {}, goBackN: {}, onlyIfUsed: {}, scheduled: {} };

  it.each([
    [all, "scheduled"],
    [{ relaxed: {}, goBackN: {}, onlyIfUsed: {} }, "onlyIfUsed"],
    [{ relaxed: {}, goBackN: {} }, "goBackN"],
  ])("in Numaflow's order, not in that of the spec: %j", (modes, mode) => {
    const report = reportOf(withLimit({ max: 9, modes }));
    expect(rows(report).find(([field]) => field === "modes")).toEqual(["modes", mode, "vertex", `mode: "${mode}"`]);
    expect(report.limit?.differences.map(({ message }) => message).join()).toContain(`As in Numaflow ${mode} counts`);
  });

  it("and the others are named", () => {
    const unused = rows(reportOf(withLimit({ max: 9, modes: all }))).filter(([, , , becomes]) => becomes === "-");
    expect(unused.map(([field]) => field)).toEqual([
      "resumedRampUp",
      "ttl",
      "modes.onlyIfUsed",
      "modes.goBackN",
      "modes.relaxed",
    ]);
  });
});

describe("resumedRampUp", () => {
  it.each([
    [{ resumedRampUp: true }, 180_000],
    [{ resumedRampUp: true, ttl: "1m" }, 60_000],
    [{ resumedRampUp: true, ttl: "2.9s" }, 2_000],
    [{ resumedRampUp: true, ttl: "0s" }, 0],
  ])("%j keeps a level for %d ms, in whole seconds", (fields, ms) => {
    expect(throttleOptionsOf(withLimit({ max: 9, ...fields })).resumeWithin).toBe(ms);
  });

  it.each([{}, { ttl: "1m" }, { resumedRampUp: false, ttl: "1m" }])("%j keeps none", (fields) => {
    expect(throttleOptionsOf(withLimit({ max: 9, ...fields }))).not.toHaveProperty("resumeWithin");
  });
});

describe("a source counts reads", () => {
  const source = { udf: undefined, source: {} };
  const counted = (rateLimit: object, limits: object = {}, above?: object) =>
    throttleOptionsOf(
      pipelineOf({ ...(above && { limits: above }), vertex: { ...source, limits: { ...limits, rateLimit } } }),
    );

  it.each([
    [{ max: 100 }, {}, undefined, [1, 1]],
    [{ max: 500 }, {}, undefined, [1, 1]],
    [{ max: 501, min: 500 }, {}, undefined, [2, 1]],
    [{ max: 5 }, { readBatchSize: 20 }, undefined, [1, 1]],
    [{ max: 100, min: 0 }, { readBatchSize: 1 }, undefined, [100, 0]],
    [{ max: 1_000, min: 101 }, {}, { readBatchSize: 100 }, [10, 2]],
    [{ max: 1_000, min: 101 }, { readBatchSize: 10 }, { readBatchSize: 100 }, [100, 11]],
  ])("%j with %j, in a pipeline with %j: %j", (rateLimit, limits, above, [max, min]) => {
    expect(counted(rateLimit, limits, above)).toMatchObject({ max, min });
  });

  it("or messages, where it is asked to", () => {
    const spec = withLimit({ max: 100, min: 10 }, { vertex: source });
    expect(throttleOptionsOf(spec, "v", { count: "messages" })).toMatchObject({ max: 100, min: 10 });
    expect(reportOf(spec, "v", { count: "messages" }).limit?.messagesPerToken).toBe(1);
    expect(reportOf(spec, "v").limit?.messagesPerToken).toBe(500);
  });

  it("and the report names what the rounding lets through", () => {
    const spec = withLimit({ max: 100 }, { vertex: source });
    const [reads] = reportOf(spec).limit?.differences.filter(({ about }) => about === "reads") ?? [];
    expect(reads?.message).toContain("up to 500 messages, more than max 100");
  });

  it.each([
    ["a map", { udf: {} }],
    ["a reduce", { udf: { groupBy: {} } }],
    ["a sink", { udf: undefined, sink: {} }],
  ])("%s counts messages", (_, vertex) => {
    expect(throttleOptionsOf(withLimit({ max: 100, min: 10 }, { vertex }))).toMatchObject({ max: 100, min: 10 });
  });
});

describe("of a store only what its mode needs is used", () => {
  const sentinel = { masterName: "m", endpoints: ["s:1"] };
  const reported = (store: object): string[] =>
    (reportOf(withLimit({ max: 9, store })).limit?.differences ?? [])
      .filter(({ about }) => about === "store")
      .map(({ message }) => message);

  it.each([
    [{ redisStore: { mode: "single", url: "redis://r" } }, []],
    [{ redisStore: { mode: "sentinel", sentinel } }, []],
    [
      { redisStore: { mode: "single", url: "redis://r", sentinel } },
      ["As in Numaflow sentinel is not used, since mode is single."],
    ],
    [
      { redisStore: { mode: "sentinel", sentinel, url: "redis://r" } },
      ["As in Numaflow url is not used, since mode is sentinel."],
    ],
    [
      { redisStore: { mode: "sentinel", sentinel }, inMemoryStore: {} },
      ["Of redisStore and inMemoryStore the first counts here. Give one of them."],
    ],
  ])("%j", (store, messages) => {
    expect(reported(store)).toEqual(messages);
  });
});
