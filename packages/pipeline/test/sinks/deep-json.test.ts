import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { throttled } from "../../src/index.ts";
import { deepJson } from "../../src/sinks/deep-json.ts";
import { jsonlFile } from "../../src/sinks/jsonl/jsonl-file.ts";
import { folder } from "../support/folder.ts";

const raw = (JSON as { readonly rawJSON?: (text: string) => unknown }).rawJSON ?? JSON.parse;

it.each<[unknown]>([
  [null],
  ['a\ud800\0"\\'],
  [1.5],
  [Number.NaN],
  [[]],
  [{}],
  [[1, [2, [3]], { a: [{}], b: undefined, c: () => 1, d: Symbol("d") }, undefined, () => 1]],
  [JSON.parse('{"__proto__":{"a":1},"":{"":[0]},"2":1,"1":2}')],
  [{ at: new Date(0), n: Object(1), s: Object("s"), b: Object(false), map: new Map([[1, 2]]) }],
  [{ toJSON: (key: string) => ({ key }) }],
  [{ inner: { toJSON: (key: string) => [key] }, gone: { toJSON: () => undefined } }],
  [{ id: raw("12345678901234567890") }],
  [Array.from({ length: 5 })],
])("the same JSON as that of JSON.stringify: %o", (value) => {
  expect(deepJson(value)).toBe(JSON.stringify(value));
});

it("a cycle and a bigint have none, the same object twice has", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = [cycle];
  expect(() => deepJson(cycle)).toThrow("circular");
  expect(() => deepJson([1n])).toThrow("BigInt");
  const twice = { a: 1 };
  expect(deepJson([twice, twice])).toBe('[{"a":1},{"a":1}]');
});

it("a record that is nested 100,000 deep is written as it was read, whatever became of it, and the run goes on", async () => {
  const dir = await folder();
  const nested = ["[".repeat(100_000) + "]".repeat(100_000), `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`];
  const lines = ["1", ...nested, "2", ...nested.map((text) => `{"fails":${text}}`), "3"];
  const path = (name: string): string => join(dir, name);
  const call = async (record: unknown): Promise<unknown> => {
    if (typeof record === "object" && record !== null && "fails" in record) throw new Error("no");
    return record;
  };
  const records = lines.map((line) => JSON.parse(line) as unknown);
  const status = await throttled(records, call, {
    success: jsonlFile({ path: path("ok") }),
    error: jsonlFile({ path: path("err") }),
    concurrency: 1,
  }).run();
  expect(status).toMatchObject({ state: "done", success: 5, error: 2 });
  const ok = await readFile(path("ok"), "utf8");
  expect(ok === `1\n${nested.join("\n")}\n2\n3\n`).toBe(true);
  const errors = await readFile(path("err"), "utf8");
  expect(errors === nested.map((text) => `{"input":{"fails":${text}},"error":"no"}\n`).join("")).toBe(true);
});
