import { describe, expect, it } from "vitest";
import { throttleOptionsOf } from "../src/index.ts";
import { pipelineOf, problemsOf, withLimit } from "./support/spec.ts";

const AT = "spec.vertices[0].limits.rateLimit";
const sentinel = (fields: object): object => ({
  max: 1,
  store: { redisStore: { mode: "sentinel", sentinel: { masterName: "m", endpoints: ["s:26379"], ...fields } } },
});
const single = (fields: object): object => ({ max: 1, store: { redisStore: { mode: "single", ...fields } } });

describe("a field that does not exist is named, with the one that was meant", () => {
  it.each([
    [{ max: 1, mx: 2 }, "mx", "did you mean max?"],
    [{ max: 1, rampupDuration: "1s" }, "rampupDuration", "did you mean rampUpDuration?"],
    [
      { max: 1, ramp_up_duration: "1s" },
      "ramp_up_duration",
      "user guide has this spelling, its API has rampUpDuration",
    ],
    [{ max: 1, modes: { gobackN: {} } }, "modes.gobackN", "did you mean goBackN?"],
    [{ max: 1, modes: { goBackN: { coolDown: "5s" } } }, "modes.goBackN.coolDown", "known are coolDownPeriod"],
    [{ max: 1, modes: { scheduled: { every: 1 } } }, "modes.scheduled.every", "it has no fields"],
    [{ max: 1, store: { redis: {} } }, "store.redis", "known are redisStore, inMemoryStore"],
    [{ max: 1, mode: "relaxed" }, "mode", "did you mean modes?"],
    [{ max: 1, whatever: 1 }, "whatever", "there is no such field; known are max, min, rampUpDuration"],
    [sentinel({ redisAuth: { passwd: {} } }), "store.redisStore.sentinel.redisAuth.passwd", "did you mean password?"],
  ])("%j", (rateLimit, field, hint) => {
    const problems = problemsOf(withLimit(rateLimit));
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${AT.replace(/[[\]]/g, "\\$&")}\\.${field}: `))]);
    expect(problems[0]).toContain(hint);
    expect(() => throttleOptionsOf(withLimit(rateLimit))).toThrow(problems[0]);
  });

  it.each([
    [{ vertex: { rateLimit: { max: 1 } } }, "spec.vertices[0].rateLimit", "spec.vertices[0].limits.rateLimit"],
    [{ vertex: { limit: { rateLimit: { max: 1 } } } }, "spec.vertices[0].limit", "spec.vertices[0].limits"],
    [{ vertex: { limts: {} } }, "spec.vertices[0].limts", "spec.vertices[0].limits"],
  ])("also beside limits: %j", (parts, field, right) => {
    expect(problemsOf(pipelineOf(parts))).toEqual([`${field}: there is no such field; did you mean ${right}?`]);
  });

  it("on the pipeline, too", () => {
    const spec = pipelineOf({});
    Object.assign((spec as { spec: object }).spec, { rateLimit: { max: 1 } });
    expect(problemsOf(spec)).toEqual(["spec.rateLimit: there is no such field; did you mean spec.limits.rateLimit?"]);
  });

  it("and all at once", () => {
    const spec = withLimit({ max: -1, min: 1.5, rampUpDuration: 3, ttl: "1x", resumedRampUp: "no", mx: 1 });
    expect(problemsOf(spec)).toHaveLength(6);
    expect(() => throttleOptionsOf(spec)).toThrow(/^the spec of pl has problems: (?:.*\. ){3}3 more$/s);
  });
});

describe("a value that makes no sense is refused with the remedy", () => {
  it.each([
    [{ max: "100" }, "max", 'it is "100"; give a whole number'],
    [{ max: 0 }, "max", "it is 0; give at least 1"],
    [{ max: -5 }, "max", "it is -5; give at least"],
    [{ max: 2 ** 60 }, "max", "give at most"],
    [{ max: 1.5 }, "max", "it is 1.5; give a whole number"],
    [{ max: Number.NaN }, "max", "it is NaN; give a whole number"],
    [{ max: 1, min: -1 }, "min", "it is -1; give at least 0"],
    [{ max: 1, rampUpDuration: 10 }, "rampUpDuration", 'it is 10; give text with a unit, such as "10s"'],
    [{ max: 1, rampUpDuration: "10" }, "rampUpDuration", 'it is "10"; a unit is missing'],
    [{ max: 1, rampUpDuration: "1d" }, "rampUpDuration", "Go has no unit for days"],
    [{ max: 1, ttl: "9000h" }, "ttl", "it is more than 366 days"],
    [{ max: 1, resumedRampUp: "yes" }, "resumedRampUp", 'it is "yes"; give true or false'],
    [{ max: 1, modes: "relaxed" }, "modes", 'it is "relaxed"; give an object'],
    [{ max: 1, modes: { relaxed: true } }, "modes.relaxed", "it is true; give an object, which is empty: {}"],
    [
      { max: 1, modes: { onlyIfUsed: { thresholdPercentage: 101 } } },
      "modes.onlyIfUsed.thresholdPercentage",
      "give at most 100",
    ],
    [{ max: 1, store: { redisStore: {} } }, "store.redisStore.mode", "it is missing; give single or sentinel"],
    [{ max: 1, store: { redisStore: { mode: "cluster" } } }, "store.redisStore.mode", "give single or sentinel"],
    [single({}), "store.redisStore.url", "it is missing, with mode single; give redis://"],
    [single({ url: "redis.svc:6379" }), "store.redisStore.url", "it is no Redis URL; give redis://"],
    [single({ url: "http://redis" }), "store.redisStore.url", "it is no Redis URL"],
    [single({ url: "redis://r", db: -1 }), "store.redisStore.db", "it is -1; give at least 0"],
    [
      { max: 1, store: { redisStore: { mode: "sentinel" } } },
      "store.redisStore.sentinel",
      "give masterName and endpoints",
    ],
    [sentinel({ masterName: "" }), "store.redisStore.sentinel.masterName", "give at least one"],
    [sentinel({ endpoints: [] }), "store.redisStore.sentinel.endpoints", "it is an array; give at least one"],
    [sentinel({ endpoints: ["a b"] }), "store.redisStore.sentinel.endpoints[0]", "give host:port"],
    [sentinel({ endpoints: ["s:1", "s:0"] }), "store.redisStore.sentinel.endpoints[1]", "give host:port"],
    [sentinel({ endpoints: ["s:70000"] }), "store.redisStore.sentinel.endpoints[0]", "give host:port"],
    [sentinel({ endpoints: ["rediss://s:1"] }), "store.redisStore.sentinel.endpoints[0]", "give host:port"],
    [
      sentinel({ redisAuth: { password: { name: "a" } } }),
      "store.redisStore.sentinel.redisAuth.password.key",
      "it is missing",
    ],
    [
      sentinel({ redisAuth: { username: { name: "a", key: "b" } } }),
      "store.redisStore.sentinel.redisAuth.password",
      "it is missing beside username",
    ],
    [
      sentinel({ redisTLS: { certSecret: { name: "a", key: "b" } } }),
      "store.redisStore.sentinel.redisTLS",
      "a certificate and its key go together",
    ],
    [
      sentinel({
        redisTLS: {
          keySecret: { name: "a", key: "b" },
          certSecret: { name: "a", key: "b" },
          clientCertSecret: { name: "a", key: "b" },
        },
      }),
      "store.redisStore.sentinel.redisTLS.clientCertSecret",
      "it means the same as certSecret",
    ],
  ])("%j", (rateLimit, field, remedy) => {
    const problems = problemsOf(withLimit(rateLimit));
    expect(problems.map((problem) => problem.replace(/: .*/s, ""))).toEqual([`${AT}.${field}`]);
    expect(problems[0]).toContain(remedy);
  });

  it.each([
    [{ readBatchSize: 0 }, "readBatchSize", "it is 0; give at least 1"],
    [{ readBatchSize: "500" }, "readBatchSize", 'it is "500"; give a whole number'],
    [{ rateLimit: [] }, "rateLimit", "it is an array; give an object"],
  ])("in limits: %j", (limits, field, remedy) => {
    expect(problemsOf(pipelineOf({ vertex: { limits } }))).toEqual([`spec.vertices[0].limits.${field}: ${remedy}`]);
  });

  it.each([
    [{ metadata: {} }, "metadata.name"],
    [{ metadata: { name: "A b" } }, "metadata.name"],
    [{ metadata: { name: "a/b" } }, "metadata.name"],
    [{ metadata: undefined }, "metadata"],
    [{ spec: undefined }, "spec"],
    [{ spec: {} }, "spec.vertices"],
    [{ spec: { vertices: [null] } }, "spec.vertices[0]"],
    [{ spec: { vertices: [{}] } }, "spec.vertices[0].name"],
  ])("in a resource: %j", (parts, field) => {
    const problems = problemsOf({ ...pipelineOf({}), ...parts });
    expect(problems.map((problem) => problem.replace(/: .*/s, ""))).toEqual([field]);
  });
});

describe("a field that is null", () => {
  it("is left out, as the API server does it", () => {
    const spec = withLimit({ max: 1, min: null, modes: null, store: { redisStore: null } });
    expect(problemsOf(spec)).toEqual([]);
    expect(throttleOptionsOf(spec)).toMatchObject({ min: 1, mode: "relaxed" });
    expect(problemsOf(pipelineOf({ vertex: { limits: null } }))).toEqual([]);
  });

  it("is a problem among the modes, where it looks like a choice", () => {
    expect(problemsOf(withLimit({ max: 1, modes: { scheduled: null } }))).toEqual([
      `${AT}.modes.scheduled: it is null, which the API server leaves out, so that the mode is relaxed; give scheduled: {}`,
    ]);
  });
});

describe("no problem repeats what may be a secret", () => {
  const SECRET = "31337";
  it.each([
    single({ url: SECRET }),
    single({ url: `http://u:${SECRET}@r` }),
    single({ url: [SECRET] }),
    single({ url: Number(SECRET) }),
    sentinel({ redisAuth: { password: Number(SECRET) } }),
    sentinel({ sentinelTLS: { keySecret: { name: Number(SECRET), key: "k" } } }),
    single({ urll: `redis://:${SECRET}@r` }),
    sentinel({ redisAuth: { password: SECRET } }),
    sentinel({ redisAuth: SECRET }),
    sentinel({ redis_auth: { password: SECRET } }),
    sentinel({ redisTLS: { keySecret: SECRET, certSecret: SECRET } }),
    sentinel({ endpoints: [`redis://:${SECRET}@s:1`] }),
  ])("%#", (rateLimit) => {
    const problems = problemsOf(withLimit(rateLimit));
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain(SECRET);
  });

  it("nor does the report of a URL with a password", () => {
    const spec = withLimit(single({ url: `redis://u:${SECRET}@r:1/3` }));
    expect(problemsOf(spec)).toEqual([]);
    expect(JSON.stringify(throttleOptionsOf(spec))).not.toContain(SECRET);
  });
});

it("a value that contains itself ends", () => {
  const rateLimit = { max: 1, store: {} };
  rateLimit.store = rateLimit;
  expect(problemsOf(withLimit(rateLimit)).length).toBeGreaterThan(0);
});
