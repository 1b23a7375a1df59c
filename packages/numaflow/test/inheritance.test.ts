import { describe, expect, it } from "vitest";
import { throttleOptionsOf } from "../src/index.ts";
import { pipelineOf, problemsOf, reportOf, rows } from "./support/spec.ts";

const redis = (host: string): object => ({ redisStore: { mode: "single", url: `redis://${host}:6379` } });
const ABOVE = {
  max: 100,
  min: 10,
  rampUpDuration: "10s",
  resumedRampUp: true,
  ttl: "60s",
  modes: { scheduled: {} },
  store: redis("above"),
};
const OWN = {
  max: 50,
  min: 5,
  rampUpDuration: "5s",
  resumedRampUp: false,
  ttl: "5s",
  modes: { relaxed: {} },
  store: redis("own"),
};

/** Where each field of the vertex comes from. */
function origins(own: object | undefined, above: object = ABOVE): Record<string, string> {
  const spec = pipelineOf({
    limits: { rateLimit: above },
    vertex: own === undefined ? {} : { limits: { rateLimit: own } },
  });
  return Object.fromEntries(rows(reportOf(spec)).map(([field = "", , from = ""]) => [field.split(".")[0], from]));
}

const all = (from: string, but: Record<string, string> = {}): Record<string, string> => ({
  ...Object.fromEntries(
    ["max", "min", "rampUpDuration", "resumedRampUp", "ttl", "modes", "store"].map((f) => [f, from]),
  ),
  ...but,
});

/** The database of a Redis has a default, and is the last field of its store. */
const withDb = (expected: Record<string, string>): Record<string, string> => ({ ...expected, store: "default" });

describe("what a vertex inherits of its pipeline", () => {
  it("is all of it where it has no rateLimit", () => {
    expect(origins(undefined)).toEqual(withDb(all("pipeline")));
    const spec = pipelineOf({ limits: { rateLimit: ABOVE } });
    expect(throttleOptionsOf(spec)).toMatchObject({ max: 100, mode: "scheduled", resumeWithin: 60_000 });
  });

  it("is max, min, rampUpDuration and store where it has an empty one: not the modes, resumedRampUp and ttl", () => {
    expect(origins({})).toEqual(
      withDb(all("pipeline", { modes: "default", resumedRampUp: "default", ttl: "default" })),
    );
    const options = throttleOptionsOf(
      pipelineOf({ limits: { rateLimit: ABOVE }, vertex: { limits: { rateLimit: {} } } }),
    );
    expect(options).toMatchObject({ max: 100, min: 10, rampUp: 10_000, mode: "relaxed" });
    expect(options).not.toHaveProperty("resumeWithin");
  });

  it("is nothing where its own has everything", () => {
    expect(origins(OWN)).toEqual(withDb(all("vertex")));
  });

  it.each(Object.keys(OWN))("is not %s where its own has it", (field) => {
    const expected = all("pipeline", { modes: "default", resumedRampUp: "default", ttl: "default", [field]: "vertex" });
    expect(origins({ [field]: Reflect.get(OWN, field) })).toEqual(withDb(expected));
  });

  it("is a whole store, not parts of one", () => {
    const spec = pipelineOf({
      limits: { rateLimit: { max: 1, store: { redisStore: { mode: "single", url: "redis://above:1", db: 3 } } } },
      vertex: { limits: { rateLimit: { store: redis("own") } } },
    });
    expect(rows(reportOf(spec)).slice(-3)).toEqual([
      ["store.redisStore.mode", "single", "vertex", "redisStore({ url })"],
      ["store.redisStore.url", "redis://own:6379", "vertex", "url"],
      ["store.redisStore.db", "0", "default", "the database of url, or 0"],
    ]);
  });

  it("is named where it is not what a reader may think", () => {
    const about = (own: object): string[] =>
      (
        reportOf(pipelineOf({ limits: { rateLimit: ABOVE }, vertex: { limits: { rateLimit: own } } })).limit
          ?.differences ?? []
      ).map((difference) => difference.about);
    expect(about({ max: 50 })).toEqual(expect.arrayContaining(["modes", "inheritance"]));
    expect(about(OWN)).not.toEqual(expect.arrayContaining(["modes"]));
    expect(about(OWN)).not.toEqual(expect.arrayContaining(["inheritance"]));
  });
});

describe("a vertex has no limit", () => {
  it("where neither it nor its pipeline has one", () => {
    const spec = pipelineOf({ limits: { readBatchSize: 10 } });
    expect(reportOf(spec)).toEqual({ vertex: "v", role: "map" });
    expect(() => throttleOptionsOf(spec)).toThrow(
      'the vertex "v" has no rateLimit, nor has its pipeline; give one in spec.vertices[0].limits.rateLimit',
    );
  });

  it("but a problem where no block has max", () => {
    const at = "spec.vertices[0].limits.rateLimit.max";
    const missing = `${at}: it is missing, here and in the pipeline; give messages a second`;
    expect(problemsOf(pipelineOf({ vertex: { limits: { rateLimit: { min: 5 } } } }))).toEqual([missing]);
    expect(problemsOf(pipelineOf({ limits: { rateLimit: {} } }))).toEqual([missing]);
  });
});

describe("max below min", () => {
  it.each([
    [{ max: 5, min: 6 }, {}, "max 5 (of the vertex) is below min 6 (of the vertex)"],
    [{ max: 5 }, { min: 10 }, "max 5 (of the vertex) is below min 10 (of the pipeline)"],
    [{ min: 200 }, { max: 100 }, "max 100 (of the pipeline) is below min 200 (of the vertex)"],
  ])("%j in a pipeline with %j is refused", (own, above, sentence) => {
    const spec = pipelineOf({ limits: { rateLimit: above }, vertex: { limits: { rateLimit: own } } });
    expect(problemsOf(spec)).toEqual([expect.stringContaining(sentence)]);
    expect(() => throttleOptionsOf(spec)).toThrow(sentence);
  });

  it("is refused of messages, also where the division would make both the same", () => {
    const source = { udf: undefined, source: {}, limits: { rateLimit: { max: 100, min: 200 } } };
    expect(problemsOf(pipelineOf({ vertex: source }))).toHaveLength(1);
  });

  it("is fine where they are the same", () => {
    const options = throttleOptionsOf(pipelineOf({ vertex: { limits: { rateLimit: { max: 7, min: 7 } } } }));
    expect(options).toMatchObject({ max: 7, min: 7 });
  });
});
