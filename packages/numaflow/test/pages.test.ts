import { readFileSync } from "node:fs";
import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, it } from "vitest";
import * as api from "../src/index.ts";
import { checkSpec, throttleFromNumaflow, throttleOptionsOf } from "../src/index.ts";
import { pipelineOf, problemsOf, published, withLimit } from "./support/spec.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const page = read("../../../docs/numaflow.md");

/** The names that the first column of a section's tables has, in their order. */
function namesIn(text: string, section: string): string[] {
  const [, rest = ""] = text.split(`\n## ${section}\n`);
  const [body = ""] = rest.split("\n## ");
  const cells = [...body.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.]+)[^`]*`/g)].map(([, name = ""]) => name));
}

/** The names that a message lists as known. */
function knownIn(message: string): string[] {
  const [, names = ""] = /known are ([\w, ]+)/.exec(message) ?? [];
  return names.split(", ").filter((name) => name !== "");
}

/** The fields that a block of the API has, by its refusal of another one. */
function fieldsOf(rateLimit: object, at: string): string[] {
  const problem = problemsOf(withLimit(rateLimit)).find((one) => one.includes(`rateLimit.${at}unheardOf: `)) ?? "";
  return knownIn(problem);
}

describe("the pages about Numaflow", () => {
  it("list every function", () => {
    const functions = Object.entries(api).filter(([, value]) => typeof value === "function");
    expect(namesIn(readme, "Functions").toSorted()).toEqual(functions.map(([name]) => name).toSorted());
  });

  it("list every option", async () => {
    const options = { unheardOf: 1 } as object;
    const { message } = await failure(throttleFromNumaflow(withLimit({ max: 1 }), "v", options));
    expect(namesIn(readme, "Options").toSorted()).toEqual(knownIn(message).toSorted());
  });

  it("list what comes back", async () => {
    const opened = await throttleFromNumaflow(withLimit({ max: 1 }));
    expect(namesIn(readme, "What comes back")).toEqual(Object.keys(opened).toSorted(byTable(readme)));
    await opened.close();
  });

  it("list every field of the API, and what it becomes", () => {
    const unheardOf = 1;
    const sentinel = { masterName: "m", endpoints: ["s:1"], unheardOf };
    const fields = [
      ...fieldsOf({ unheardOf }, ""),
      ...fieldsOf({ modes: { unheardOf } }, "modes.").map((name) => `modes.${name}`),
      ...fieldsOf({ modes: { goBackN: { unheardOf } } }, "modes.goBackN.").map((name) => `modes.goBackN.${name}`),
      ...fieldsOf({ modes: { onlyIfUsed: { unheardOf } } }, "modes.onlyIfUsed.").map(
        (name) => `modes.onlyIfUsed.${name}`,
      ),
      ...fieldsOf({ store: { unheardOf } }, "store.").map((name) => `store.${name}`),
      ...fieldsOf({ store: { redisStore: { mode: "single", unheardOf } } }, "store.redisStore.").map(
        (name) => `store.redisStore.${name}`,
      ),
      ...fieldsOf({ store: { redisStore: { mode: "sentinel", sentinel } } }, "store.redisStore.sentinel.").map(
        (name) => `store.redisStore.sentinel.${name}`,
      ),
    ];
    expect(fields.length).toBeGreaterThan(25);
    // Of a block that has fields of its own, these have the rows.
    const leaves = fields.filter(
      (field) => field === "modes" || field === "store" || !fields.some((other) => other.startsWith(`${field}.`)),
    );
    expect(namesIn(page, "What each field becomes").toSorted()).toEqual(leaves.toSorted());
  });

  it("list every difference that is reported", () => {
    const redis = (url: string): object => ({ redisStore: { mode: "single", url } });
    const source = { udf: undefined, source: {} };
    const above = { max: 9, min: 2, modes: { scheduled: {} }, store: redis("redis://u:p@r/3") };
    const specs = [
      published("mono-vertex.yaml"),
      pipelineOf({
        limits: { rateLimit: above },
        vertex: { ...source, limits: { rateLimit: { resumedRampUp: true } } },
      }),
      withLimit({ max: 1 }, { vertex: { udf: { groupBy: {} } } }),
      withLimit({ max: 1, store: { ...redis("redis://r"), inMemoryStore: {} } }),
      ...[{ scheduled: {} }, { onlyIfUsed: {} }, { goBackN: {} }].map((modes) => withLimit({ max: 1, modes })),
    ];
    const reported = specs.flatMap((spec) =>
      checkSpec(spec).resources.flatMap(({ vertices }) =>
        vertices.flatMap(({ limit }) => limit?.differences.map(({ about }) => about) ?? []),
      ),
    );
    expect(namesIn(page, "What differs, and why").toSorted()).toEqual([...new Set(reported)].toSorted());
  });

  it("show what the example prints", () => {
    const [, code = ""] = /const spec = `([^`]*)`/.exec(readme) ?? [];
    const { name, rampUp } = throttleOptionsOf(code, "call-api");
    expect(readme).toContain(`  name: '${name}',\n  max: 100,\n  min: 10,\n  rampUp: ${rampUp},\n  mode: 'relaxed',`);
  });
});

/** In the order of the table. */
function byTable(text: string): (a: string, b: string) => number {
  const names = namesIn(text, "What comes back");
  return (a, b) => names.indexOf(a) - names.indexOf(b);
}
