import { describe, expect, it } from "vitest";
import { checkSpec, throttleOptionsOf } from "../src/index.ts";
import { problemsOf, published, reportOf, rows } from "./support/spec.ts";

/** The specs that Numaflow publishes, field by field. */

const SINGLE = (from: string): string[][] => [
  ["store.redisStore.mode", "single", from, "redisStore({ url })"],
  ["store.redisStore.url", "redis://redis:6379", from, "url"],
  ["store.redisStore.db", "0", "default", "the database of url, or 0"],
];
const NO_RESUME = [
  ["resumedRampUp", "false", "default", "-"],
  ["ttl", "180s", "default", "-"],
];
const IN_MEMORY = [["store", "in memory", "default", "new MemoryStore()"]];

describe("the pipeline of Numaflow's test of maps", () => {
  const spec = published("pipeline.yaml");

  it("has no problem", () => {
    expect(checkSpec(spec).ok).toBe(true);
  });

  it("limits its source by a block of its own, in reads, on the store of the pipeline", () => {
    expect(rows(reportOf(spec, "in"))).toEqual([
      ["max", "200", "vertex", "max: 4 (divided by 50, rounded up)"],
      ["min", "50", "vertex", "min: 1 (divided by 50, rounded up)"],
      ["readBatchSize", "50", "vertex", "messages of a token: 50"],
      ["rampUpDuration", "1s", "vertex", "rampUp: 1000"],
      ...NO_RESUME,
      ["modes", "relaxed", "default", 'mode: "relaxed"'],
      ...SINGLE("pipeline"),
    ]);
    expect(throttleOptionsOf(spec, "in")).toEqual({
      name: "rate-limit-redis-in-pl",
      max: 4,
      min: 1,
      rampUp: 1_000,
      mode: "relaxed",
      interval: 1_000,
    });
  });

  it.each(["map-udf", "out"])("limits %s as the pipeline has it, in messages", (vertex) => {
    expect(rows(reportOf(spec, vertex))).toEqual([
      ["max", "100", "pipeline", "max: 100"],
      ["min", "10", "pipeline", "min: 10"],
      ["rampUpDuration", "10s", "pipeline", "rampUp: 10000"],
      ...NO_RESUME,
      ["modes", "relaxed", "default", 'mode: "relaxed"'],
      ...SINGLE("pipeline"),
    ]);
    expect(throttleOptionsOf(spec, vertex)).toEqual({
      name: `rate-limit-redis-${vertex}-pl`,
      max: 100,
      min: 10,
      rampUp: 10_000,
      mode: "relaxed",
      interval: 1_000,
    });
  });
});

describe("the MonoVertex of Numaflow's tests", () => {
  const spec = published("mono-vertex.yaml");

  it("counts reads, and is named as Numaflow names it", () => {
    expect(rows(reportOf(spec))).toEqual([
      ["max", "100", "vertex", "max: 2 (divided by 50, rounded up)"],
      ["min", "50", "vertex", "min: 1 (divided by 50, rounded up)"],
      ["readBatchSize", "50", "vertex", "messages of a token: 50"],
      ["rampUpDuration", "1s", "vertex", "rampUp: 1000"],
      ...NO_RESUME,
      ["modes", "relaxed", "default", 'mode: "relaxed"'],
      ...SINGLE("vertex"),
    ]);
    expect(throttleOptionsOf(spec)).toEqual({
      name: "rate-limit-redis-mv-mv",
      max: 2,
      min: 1,
      rampUp: 1_000,
      mode: "relaxed",
      interval: 1_000,
    });
  });

  it("is told of the autoscaler, which compares with 5,000", () => {
    const { limit } = reportOf(spec);
    const [autoscaler] = (limit?.differences ?? []).filter(({ about }) => about === "autoscaler");
    expect(autoscaler?.message).toContain("100 x 50 = 5000");
  });
});

describe("the snippets of Numaflow's user guide", () => {
  const spec = published("guide.yaml");
  const limitOf = (vertex: string): string[][] => rows(reportOf(spec, vertex));
  const ONE = [
    ["max", "100", "vertex", "max: 100"],
    ["min", "1", "default", "min: 1"],
    ["rampUpDuration", "1s", "default", "rampUp: 1000"],
  ];

  it("have no problem", () => {
    expect(problemsOf(spec)).toEqual([]);
  });

  it("a simple limit: in memory, for each process", () => {
    expect(limitOf("simple")).toEqual([
      ["max", "100", "vertex", "max: 100"],
      ["min", "50", "vertex", "min: 50"],
      ["rampUpDuration", "1s", "vertex", "rampUp: 1000"],
      ...NO_RESUME,
      ["modes", "relaxed", "default", 'mode: "relaxed"'],
      ...IN_MEMORY,
    ]);
  });

  it("a single Redis", () => {
    const relaxed = ["modes", "relaxed", "default", 'mode: "relaxed"'];
    expect(limitOf("single")).toEqual([...ONE, ...NO_RESUME, relaxed, ...SINGLE("vertex")]);
  });

  it("Sentinels, with secrets and TLS", () => {
    const at = "store.redisStore";
    expect(limitOf("sentinel").slice(6)).toEqual([
      [`${at}.mode`, "sentinel", "vertex", "redisStore({ options })"],
      [`${at}.sentinel.masterName`, "mymaster", "vertex", "options.name"],
      [
        `${at}.sentinel.endpoints`,
        "sentinel-0.redis.svc:26379, redis://sentinel-1.redis.svc:26380",
        "vertex",
        "options.sentinels",
      ],
      [
        `${at}.sentinel.sentinelAuth.password`,
        "secret sentinel-auth, key password, optional",
        "vertex",
        "options.sentinelPassword, from secrets or SENTINEL_AUTH__PASSWORD",
      ],
      [
        `${at}.sentinel.redisAuth.username`,
        "secret redis-auth, key username",
        "vertex",
        "options.username, from secrets or REDIS_AUTH__USERNAME",
      ],
      [
        `${at}.sentinel.redisAuth.password`,
        "secret redis-auth, key password",
        "vertex",
        "options.password, from secrets or REDIS_AUTH__PASSWORD",
      ],
      [
        `${at}.sentinel.sentinelTLS.insecureSkipVerify`,
        "true",
        "vertex",
        "options.sentinelTLS.rejectUnauthorized: false",
      ],
      [`${at}.sentinel.redisTLS.insecureSkipVerify`, "false", "vertex", "options.tls.rejectUnauthorized: true"],
      [
        `${at}.sentinel.redisTLS.caCertSecret`,
        "secret redis-tls, key ca.crt",
        "vertex",
        "options.tls.ca, from secrets or REDIS_TLS__CA_CRT",
      ],
      [
        `${at}.sentinel.redisTLS.certSecret`,
        "secret redis-tls, key tls.crt",
        "vertex",
        "options.tls.cert, from secrets or REDIS_TLS__TLS_CRT",
      ],
      [
        `${at}.sentinel.redisTLS.keySecret`,
        "secret redis-tls, key tls.key",
        "vertex",
        "options.tls.key, from secrets or REDIS_TLS__TLS_KEY",
      ],
      [`${at}.db`, "0", "default", "0"],
    ]);
  });

  it.each([
    ["scheduled", "scheduled", [["modes", "scheduled", "vertex", 'mode: "scheduled"']]],
    ["relaxed", "relaxed", [["modes", "relaxed", "vertex", 'mode: "relaxed"']]],
    [
      "only-if-used",
      { type: "onlyIfUsed", threshold: 10 },
      [
        ["modes", "onlyIfUsed", "vertex", 'mode: "onlyIfUsed"'],
        ["modes.onlyIfUsed.thresholdPercentage", "10", "vertex", "mode.threshold: 10"],
      ],
    ],
    [
      "go-back-n",
      { type: "goBackN", threshold: 50, coolDown: 5_000, rampDown: 50 },
      [
        ["modes", "goBackN", "vertex", 'mode: "goBackN"'],
        ["modes.goBackN.coolDownPeriod", "5s", "vertex", "mode.coolDown: 5000"],
        ["modes.goBackN.rampDownPercentage", "50", "vertex", "mode.rampDown: 50"],
        ["modes.goBackN.thresholdPercentage", "50", "vertex", "mode.threshold: 50"],
      ],
    ],
  ])("the mode %s", (vertex, mode, modes) => {
    expect(limitOf(vertex)).toEqual([...ONE, ...NO_RESUME, ...modes, ...IN_MEMORY]);
    expect(throttleOptionsOf(spec, vertex).mode).toEqual(mode);
  });

  it("a ramp that is resumed, or not", () => {
    expect(limitOf("resumed").slice(3, 5)).toEqual([
      ["resumedRampUp", "false", "vertex", "-"],
      ["ttl", "180s", "vertex", "-"],
    ]);
    expect(throttleOptionsOf(spec, "resumed")).not.toHaveProperty("resumeWithin");
  });

  it("in the spelling of the guide are refused, each field with the name that the API has", () => {
    const at = "spec.vertices[0].limits.rateLimit.store.redisStore.sentinel";
    const hint = "there is no such field; Numaflow's user guide has this spelling, its API has";
    const problems = problemsOf(published("guide-snake-case.yaml"));
    const lines = problems.map((problem) => problem.replace(/; known are .*/, ""));
    expect(lines).toEqual([
      `${at}.masterName: it is missing; give text`,
      `${at}.master_name: ${hint} masterName`,
      `${at}.redis_auth: ${hint} redisAuth`,
      `${at}.redis_tls: ${hint} redisTLS`,
      `${at}.sentinel_auth: ${hint} sentinelAuth`,
      `${at}.sentinel_tls: ${hint} sentinelTLS`,
    ]);
    expect(problems.join()).not.toContain("hunter2");
  });
});
