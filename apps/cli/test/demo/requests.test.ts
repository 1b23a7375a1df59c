import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endlessRequests, linesOf, parseLine } from "../../src/demo/process/requests.ts";
import { scratchFolder } from "../support/scratch.ts";

function fileOf(text: string): string {
  const file = join(scratchFolder(), "requests.jsonl");
  writeFileSync(file, text);
  return file;
}

describe("a line of the input", () => {
  test("has defaults for everything", () => {
    expect(parseLine(1, "{}")).toEqual({
      number: 1,
      request: { method: "GET", path: "/", headers: {}, body: undefined },
    });
  });

  test("with a body is a POST, and a body that is not a string is sent as JSON", () => {
    expect(parseLine(1, '{"path":"/x?y=1","headers":{"x-a":"b"},"body":{"n":1},"id":7}')).toEqual({
      number: 1,
      request: { method: "POST", path: "/x?y=1", headers: { "x-a": "b" }, body: '{"n":1}' },
    });
    expect(parseLine(1, '{"body":"as it is","method":"PUT"}')).toMatchObject({
      request: { method: "PUT", body: "as it is" },
    });
  });

  test.each([
    ["{", /JSON/],
    ["[]", /not a JSON object/],
    ["null", /not a JSON object/],
    ['"text"', /not a JSON object/],
    ['{"path":"no-slash"}', /"path"/],
    ['{"path":"/with space"}', /"path"/],
    ['{"path":7}', /"path"/],
    ['{"method":"get"}', /"method"/],
    ['{"method":"CONNECT"}', /"method"/],
    ['{"headers":["a"]}', /"headers"/],
    ['{"headers":{"a":1}}', /"headers"/],
    ['{"headers":{"a b":"c"}}', /"headers"/],
    ['{"headers":{"a":"line\\nbreak"}}', /"headers"/],
  ])("%s is named as malformed", (text, fault) => {
    expect(parseLine(3, text)).toEqual({ number: 3, fault: expect.stringMatching(fault) });
  });
});

describe("a file of requests", () => {
  test("keeps its line numbers, whatever its line ends, without the empty lines", async () => {
    const seen: [number, boolean][] = [];
    const file = fileOf('\uFEFF{"path":"/a"}\r\n\r\n  \r\nbad\r\n{"path":"/b"}');
    for await (const line of linesOf(file)) seen.push([line.number, "request" in line]);
    expect(seen).toEqual([
      [1, true],
      [4, false],
      [5, true],
    ]);
  });

  test("is shared out among workers and read again and again", async () => {
    const file = fileOf(["/0", "/1", "/2"].map((path) => `${JSON.stringify({ path })}\nbad\n`).join(""));
    const paths = async (first: number): Promise<string[]> => {
      const found: string[] = [];
      for await (const { path } of endlessRequests(file, first, 2)) if (found.push(path) === 4) break;
      return found;
    };
    expect(await paths(0)).toEqual(["/0", "/2", "/1", "/0"]);
    expect(await paths(1)).toEqual(["/1", "/0", "/2", "/1"]);
  });
});
