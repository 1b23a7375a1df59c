import { describe, expect, it } from "vitest";
import { checkSpec, throttleOptionsOf } from "../src/index.ts";
import { pipelineOf, problemsOf, reportOf, withLimit } from "./support/spec.ts";

const API = "numaflow.numaproj.io/v1alpha1";
const rateLimit = { max: 100, min: 50, store: { redisStore: { mode: "single", url: "redis://redis:6379" } } };
const metadata = { name: "m", namespace: "n" };

const monoVertex = {
  apiVersion: API,
  kind: "MonoVertex",
  metadata,
  spec: { source: {}, sink: {}, limits: { rateLimit } },
};
const vertex = {
  apiVersion: API,
  kind: "Vertex",
  metadata,
  spec: { name: "v", pipelineName: "p", udf: {}, limits: { rateLimit } },
};
const servingPipeline = {
  apiVersion: API,
  kind: "ServingPipeline",
  metadata,
  spec: { serving: {}, pipeline: { limits: { rateLimit }, vertices: [{ name: "v", source: {} }] } },
};

describe("the name of a limit in the store", () => {
  it.each([
    ["Pipeline", pipelineOf({ limits: { rateLimit }, namespace: "n" }), "pl-v-pl"],
    ["Vertex", vertex, "p-v-pl"],
    ["MonoVertex", monoVertex, "m-mv"],
    ["ServingPipeline", servingPipeline, "s-m-v-pl"],
  ])("of a %s begins with its namespace, and goes on as in Numaflow", (_, spec, name) => {
    expect(throttleOptionsOf(spec).name).toBe(`n/${name}`);
    expect(throttleOptionsOf(spec, undefined, { namespace: "other" }).name).toBe(`other/${name}`);
    expect(throttleOptionsOf(spec, undefined, { namespace: false }).name).toBe(name);
  });

  it("is that of Numaflow where no namespace is known", () => {
    const spec = pipelineOf({ limits: { rateLimit } });
    expect(throttleOptionsOf(spec).name).toBe("pl-v-pl");
    const [namespace] = reportOf(spec).limit?.differences ?? [];
    expect(namespace).toMatchObject({ about: "namespace", message: expect.stringContaining("no namespace is given") });
  });

  it.each(["", "a/b", " ", 7, true])("is not made with the namespace %j", (namespace) => {
    expect(() => throttleOptionsOf(monoVertex, undefined, { namespace: namespace as string })).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringMatching(/^namespace is /) }),
    );
  });

  it("is not one for two vertices of a file: these would share a limit", () => {
    const named = (name: string, of: string) => ({
      ...pipelineOf({ limits: { rateLimit } }),
      metadata: { name },
      spec: { limits: { rateLimit }, vertices: [{ name: of, udf: {} }] },
    });
    const list = { kind: "List", items: [named("a-b", "c"), named("a", "b-c")] };
    const shared = "its name in the store is a-b-c-pl, as that of another vertex of the file";
    expect(problemsOf(list)).toEqual([expect.stringContaining(shared), expect.stringContaining(shared)]);
    const apart = structuredClone(list);
    Object.assign(apart.items[1]?.metadata ?? {}, { namespace: "other" });
    expect(problemsOf(apart)).toEqual([]);
    const inMemory = {
      kind: "List",
      items: list.items.map((one) => ({ ...one, spec: { ...one.spec, limits: { rateLimit: { max: 1 } } } })),
    };
    expect(problemsOf(inMemory)).toEqual([]);
  });
});

describe("the vertex that is meant", () => {
  const two = { kind: "List", items: [pipelineOf({ limits: { rateLimit } }), monoVertex] };

  it("is named", () => {
    expect(throttleOptionsOf(two, "v").name).toBe("pl-v-pl");
    expect(throttleOptionsOf(two, "m").name).toBe("n/m-mv");
  });

  it.each([
    [two, undefined, "vertex is undefined; give the name of a vertex of the spec; it has v, m"],
    [two, "vv", 'vertex is "vv"; the spec has no such vertex; did you mean v? it has v, m'],
    [{ kind: "List", items: [vertex, servingPipeline] }, "v", "several resources have it: Vertex m, ServingPipeline m"],
    [two, 3, "vertex is 3; give the name of a vertex"],
  ])("is refused otherwise", (spec, name, reason) => {
    expect(() => throttleOptionsOf(spec, name as string)).toThrow(reason);
  });

  it("is the one of the report, too", () => {
    const { resources } = checkSpec(two, { vertex: "m" });
    expect(resources.map(({ kind }) => kind)).toEqual(["MonoVertex"]);
    expect(() => checkSpec(two, { vertex: "x" })).toThrow("the spec has no such vertex; it has v, m");
  });
});

describe("what is read", () => {
  it("skips resources without limits, and of other programs", () => {
    const others = [
      { apiVersion: API, kind: "InterStepBufferService", metadata },
      { apiVersion: "v1", kind: "Secret", metadata },
      { apiVersion: "tekton.dev/v1", kind: "Pipeline", metadata },
      7,
    ];
    const { skipped, ok, resources } = checkSpec({ kind: "List", items: [...others, monoVertex] });
    expect(ok).toBe(true);
    expect(resources).toHaveLength(1);
    expect(skipped.map(({ kind }) => kind)).toEqual([
      "InterStepBufferService",
      "Secret",
      "Pipeline",
      "a value that is no object",
    ]);
  });

  it.each([
    [{}, "it has an object without kind"],
    [{ kind: "List", items: [] }, "it is empty"],
    ["", "it is empty"],
    ["just text", "it has a value that is no object"],
    ["apiVersion: v1\nkind: Secret", "it has Secret"],
  ])("refuses %j, which has nothing to check", (spec, reason) => {
    expect(() => checkSpec(spec)).toThrow(
      `the spec has no Pipeline, ServingPipeline, Vertex or MonoVertex of Numaflow: ${reason}`,
    );
  });

  it.each([null, undefined, 7, true])("refuses %j, which is no spec", (spec) => {
    expect(() => checkSpec(spec as unknown as object)).toThrow(/^spec is .*; give the text of a YAML file/);
  });

  it.each([
    [{ ...monoVertex, kind: "Monovertex" }, "kind: did you mean MonoVertex?"],
    [{ ...monoVertex, apiVersion: "numaflow.numaproj.io/v1" }, `apiVersion: give ${API}`],
    [{ ...monoVertex, apiVersion: undefined }, `apiVersion: give ${API}`],
  ])("names the kind and the version that are meant", (spec, problem) => {
    expect(problemsOf(spec)).toEqual([problem]);
  });

  it("applies a limit to a reduce vertex, and reports that Numaflow does not", () => {
    const spec = withLimit({ max: 5 }, { vertex: { udf: { groupBy: {} } } });
    expect(throttleOptionsOf(spec).max).toBe(5);
    expect(reportOf(spec).role).toBe("reduce");
    expect(reportOf(spec).limit?.differences.map(({ about }) => about)).toContain("reduce");
  });
});
