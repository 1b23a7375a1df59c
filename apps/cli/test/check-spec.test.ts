import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dt, dtInShell } from "./support/cli.ts";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

const specs = join(import.meta.dirname, "../../../packages/numaflow/test/specs");
const pipeline = join(specs, "pipeline.yaml");

/** Writes a file for the length of the test, and returns its path. */
function fileWith(content: string | Uint8Array, name = "spec.yaml"): string {
  const path = join(scratchFolder(), name);
  writeFileSync(path, content);
  return path;
}

const limited = (name: string, rateLimit: string): string => `
apiVersion: numaflow.numaproj.io/v1alpha1
kind: MonoVertex
metadata: { name: ${name}, namespace: prod }
spec: { limits: { readBatchSize: 10, rateLimit: ${rateLimit} } }
`;

describe("dt check-spec", () => {
  test("prints what each field of each vertex becomes", async () => {
    const { code, stdout, stderr } = await run("check-spec", pipeline);
    expect(stderr).toBe("");
    expect(stdout.split("\n").slice(0, 12)).toEqual([
      "Pipeline rate-limit-redis",
      "  in (source): 4 reads of up to 50 messages a second",
      '    its name in the store is "rate-limit-redis-in-pl"',
      "    field                  value               from      becomes",
      "    max                    200                 vertex    max: 4 (divided by 50, rounded up)",
      "    min                    50                  vertex    min: 1 (divided by 50, rounded up)",
      "    readBatchSize          50                  vertex    messages of a token: 50",
      "    rampUpDuration         1s                  vertex    rampUp: 1000",
      "    resumedRampUp          false               default   -",
      "    ttl                    180s                default   -",
      '    modes                  relaxed             default   mode: "relaxed"',
      "    store.redisStore.mode  single              pipeline  redisStore({ url })",
    ]);
    expect(stdout).toContain(
      "\nWhat differs from Numaflow, or surprises in it\n  namespace (in, map-udf, out): Numaflow names",
    );
    expect(stdout).toMatch(/\nNo problems\.\n$/);
    expect(code).toBe(0);
  });

  test("--vertex prints one vertex, --json the report", async () => {
    const { code, stdout } = await run("check-spec", pipeline, "--vertex", "out", "--json");
    expect(code).toBe(0);
    const { ok, resources } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(resources).toMatchObject([
      {
        document: 1,
        kind: "Pipeline",
        name: "rate-limit-redis",
        problems: [],
        vertices: [
          {
            vertex: "out",
            role: "sink",
            limit: { options: { name: "rate-limit-redis-out-pl", max: 100, min: 10, rampUp: 10_000 }, problems: [] },
          },
        ],
      },
    ]);
    expect(resources[0].vertices).toHaveLength(1);
  });

  test("ends with 1 where there are problems, and names them", async () => {
    const path = fileWith(
      [
        limited("a", "{ max: 5, min: 6 }"),
        "kind: Secret\n",
        limited("b", "{ max: 5, mx: 6 }"),
        limited("c", "{ max: 5 }"),
      ].join("---\n"),
    );
    const { code, stdout } = await run("check-spec", path);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "MonoVertex a in the namespace prod\n  a (monovertex):\n    problem: spec.limits.rateLimit.max: max 5",
    );
    expect(stdout).toContain(
      "MonoVertex b in the namespace prod\n    problem: spec.limits.rateLimit.mx: there is no such field; did you mean max?",
    );
    expect(stdout).toContain(
      '  c (monovertex): 1 read of up to 10 messages a second\n    its name in the store is "prod/c-mv"',
    );
    expect(stdout).toContain("Document 2: Secret, which has no limits\n");
    expect(stdout).toMatch(/\n2 problems\.\n$/);
    const json = await run("check-spec", path, "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout).ok).toBe(false);
  });

  test("reads the standard input", async () => {
    const { code, stdout } = await dtInShell(`cat '${pipeline}' | "$@"`, "check-spec", "-", "--vertex", "in");
    expect(stdout).toContain("in (source): 4 reads");
    expect(code).toBe(0);
  });

  test("as a program, it ends with 1 where there are problems", async () => {
    const { code, stdout } = await dt("check-spec", join(specs, "guide-snake-case.yaml"));
    expect(stdout).toContain("Numaflow's user guide has this spelling, its API has masterName");
    expect(stdout).not.toContain("hunter2");
    expect(code).toBe(1);
  });

  test("shows names as text, whatever is in them", async () => {
    const { stdout } = await run("check-spec", fileWith(`${limited("a", "{ max: 1 }")}---\nkind: "\\e[31mred"\n`));
    expect(stdout).toContain("Document 2: \\u001b[31mred");
  });
});

describe("dt check-spec ends with 2", () => {
  const laughs = ["a: &a [x, x, x, x, x, x, x, x, x]"];
  for (const [i, name] of [..."bcdefghij"].entries())
    laughs.push(`${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(", ")}]`);

  test.each<[what: string, content: string | Uint8Array, reason: string]>([
    ["no YAML", 'password: "hunter2', "the spec cannot be read: it is not YAML, at line 1, column"],
    ["no spec", "just: text", "the spec has no Pipeline, ServingPipeline, Vertex or MonoVertex of Numaflow"],
    ["an empty file", "", "it is empty"],
    ["a huge file", " ".repeat(2 ** 20 + 1), "has more than 1048576 bytes; give a smaller file"],
    ["a billion laughs", laughs.join("\n"), "its aliases make far more of it than it has"],
    ["a hundred thousand brackets", "[".repeat(100_000), "it is nested more than 100 deep"],
    ["no text", new Uint8Array([0xff, 0xfe, 0x00]), "is not UTF-8; give a text file with YAML"],
    ["another vertex", limited("a", "{ max: 1 }"), 'vertex is "x"; the spec has no such vertex; it has a'],
  ])("for %s", async (_, content, reason) => {
    const { code, stdout, stderr } = await run("check-spec", fileWith(content), "--vertex", "x");
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain("hunter2");
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("for a file that is not there, a folder, and one without an end", async () => {
    const folder = join(scratchFolder(), "folder");
    mkdirSync(folder);
    for (const [path, reason] of [
      ["/no/such/file", "/no/such/file cannot be read: ENOENT"],
      [folder, `${folder} cannot be read: EISDIR`],
      ["/dev/zero", "/dev/zero has more than 1048576 bytes"],
    ] as const) {
      const { code, stderr } = await run("check-spec", path);
      expect(stderr).toContain(reason);
      expect(code).toBe(2);
    }
  });

  test("for a wrong command line", async () => {
    expect(await run("check-spec")).toMatchObject({ code: 2, stdout: "" });
    expect(await run("check-spec", pipeline, "--vertx", "in")).toMatchObject({ code: 2, stdout: "" });
    expect(await run("check-spec", pipeline, pipeline)).toMatchObject({ code: 2, stdout: "" });
  });
});
