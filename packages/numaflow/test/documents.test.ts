import { describe, expect, it } from "vitest";
import { checkSpec } from "../src/index.ts";
import { problemsOf, reportOf } from "./support/spec.ts";

const pipeline = (name: string, rateLimit: string): string => `
apiVersion: numaflow.numaproj.io/v1alpha1
kind: Pipeline
metadata: { name: ${name} }
spec:
  vertices:
    - name: v
      udf: {}
      limits: { rateLimit: ${rateLimit} }
`;

describe("a YAML file", () => {
  it("may have several documents, and empty ones", () => {
    const text = [
      "",
      pipeline("a", "{ max: 1 }"),
      "# nothing\n",
      pipeline("b", "{ max: 2 }"),
      "kind: ConfigMap\n",
    ].join("---\n");
    const { resources, skipped } = checkSpec(text);
    expect(resources.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(skipped.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
  });

  it("may have aliases and merged maps, as kubectl takes them", () => {
    const text = `
apiVersion: numaflow.numaproj.io/v1alpha1
kind: Pipeline
metadata: { name: a }
spec:
  limits:
    rateLimit: &limit { max: 10, min: 2 }
  vertices:
    - name: v
      udf: {}
      limits: { rateLimit: { <<: *limit, min: 3 } }
`;
    expect(reportOf(text).limit?.options).toMatchObject({ max: 10, min: 3 });
  });

  it("has booleans and numbers as Kubernetes reads them", () => {
    expect(problemsOf(pipeline("a", "{ max: 1, resumedRampUp: yes }"))).toEqual([]);
    expect(reportOf(pipeline("a", "{ max: 010 }")).limit?.options.max).toBe(8);
    expect(problemsOf(pipeline("a", "{ max: '1' }"))).toEqual([
      'spec.vertices[0].limits.rateLimit.max: it is "1"; give a whole number',
    ]);
  });

  it("may be JSON, with a byte order mark or with the line ends of Windows", () => {
    expect(problemsOf(JSON.stringify({ ...checkable }))).toEqual([]);
    expect(problemsOf(`\ufeff${pipeline("a", "{ max: 1 }")}`)).toEqual([]);
    expect(problemsOf(pipeline("a", "{ max: 1 }").replaceAll("\n", "\r\n"))).toEqual([]);
  });
});

const checkable = {
  apiVersion: "numaflow.numaproj.io/v1alpha1",
  kind: "MonoVertex",
  metadata: { name: "a" },
  spec: { limits: { rateLimit: { max: 1 } } },
};

/** Each name is nine of the one before. */
const laughs = (of: (name: string) => string): string =>
  [
    "a: &a [x, x, x, x, x, x, x, x, x]",
    ...[..."bcdefghij"].map((name, i) => `${name}: &${name} ${of("abcdefghi"[i] ?? "")}`),
  ].join("\n");
const nine = (name: string): string => Array<string>(9).fill(`*${name}`).join(", ");

describe("a file that cannot be read is refused at once", () => {
  const MEBIBYTE = 2 ** 20;

  it.each([
    ["no YAML", "a: b: c: {", "it is not YAML, at line 1, column"],
    ["a quote without an end", 'password: "hunter2', "it is not YAML, at line 1, column"],
    ["a tab as indentation", "a:\n\tb: 1", "it is not YAML, at line 2, column"],
    ["an alias of nothing", "a: *hunter2", "it has an alias for which there is no anchor before it"],
    ["a map merged with itself", "a: &a { <<: *a, b: 1 }", "a map of it is merged with itself"],
    ["a key that stands there twice", "a: 1\nb: 2\na: hunter2", "at line 3, column 1 is a key that stands there twice"],
    ["a huge file", `a: ${"x".repeat(MEBIBYTE)}`, "give at most 1048576"],
    ["a billion laughs", laughs((name) => `[${nine(name)}]`), "its aliases make far more of it than it has"],
    [
      "a billion laughs by merging",
      laughs((name) => `{ <<: [${nine(name)}] }`).replace(/\[x.*/, "{ x: 1 }"),
      "its aliases make far more",
    ],
    ["a hundred thousand brackets", "[".repeat(100_000), "it is nested more than 100 deep"],
    ["the same, closed", `${"[".repeat(50_000)}${"]".repeat(50_000)}`, "it is nested more than 100 deep"],
    ["a hundred thousand maps", "{a: ".repeat(100_000), "it is nested more than 100 deep"],
    ["lists of lists", "- ".repeat(100_000), "it is nested more than 100 deep"],
    ["keys of keys", "? ".repeat(100_000), "it is nested more than 100 deep"],
    [
      "a hundred thousand keys",
      Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join("\n"),
      "it has too many parts",
    ],
    ["ten thousand documents", "---\na\n".repeat(10_000), "it has more than 1000 documents"],
  ])("%s", (_, text, reason) => {
    const check = (): unknown => checkSpec(text);
    expect(check).toThrow(expect.objectContaining({ code: "DT_INVALID_OPTION" }));
    expect(check).toThrow(reason);
    expect(check).not.toThrow("hunter2");
  });

  it("a value that contains itself is no harm", () => {
    expect(problemsOf(`${pipeline("a", "{ max: 1 }")}\nstatus: &me { me: *me }\n`)).toEqual([]);
    expect(problemsOf(pipeline("a", "&me { max: 1, store: *me }")).length).toBeGreaterThan(0);
  });

  it("keys of other objects are keys like all others", () => {
    const text = pipeline("a", "{ max: 1, __proto__: { max: 2 }, constructor: 1, hasOwnProperty: 2 }");
    expect(
      problemsOf(text)
        .map((problem) => problem.replace(/.*rateLimit\.(\w+): .*/, "$1"))
        .toSorted(),
    ).toEqual(["__proto__", "constructor", "hasOwnProperty"]);
  });
});
