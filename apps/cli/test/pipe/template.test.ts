import { describe, expect, test } from "vitest";
import { parseExactly } from "../../src/pipe/exact-json.ts";
import { poolOf } from "../../src/pipe/limits.ts";
import { fileOfPart } from "../../src/pipe/part.ts";
import { asJson, asText, asUrlPart, parseTemplate } from "../../src/pipe/template.ts";

describe("a template", () => {
  test("of a body holds fields as JSON, with the digits of numbers", () => {
    const record = parseExactly('{"text":"say \\"hi\\"","user":{"id":12345678901234567890},"items":[{"n":1}]}');
    const body = parseTemplate("--body", '{"text": {{text}}, "id": {{ user.id }}, "n": {{items.0.n}}}', asJson);
    expect(body(record)).toBe('{"text": "say \\"hi\\"", "id": 12345678901234567890, "n": 1}');
    expect(parseTemplate("--body", "[{{.}}]", asJson)(record)).toBe(`[${JSON.stringify(record)}]`);
  });

  test("of a URL escapes them, of a header leaves text as it is", () => {
    const record = { name: "a/b c&d", n: 5 };
    expect(parseTemplate("--url", "http://x/{{name}}?n={{n}}", asUrlPart)(record)).toBe("http://x/a%2Fb%20c%26d?n=5");
    expect(parseTemplate("--header", "{{name}}-{{n}}", asText)(record)).toBe("a/b c&d-5");
  });

  test("says which field a record does not have, and takes none that it inherits", () => {
    const body = parseTemplate("--body", "{{user.toString}}", asJson);
    for (const record of [{ user: {} }, { user: null }, [], 5, null])
      expect(() => body(record)).toThrow("the record has no field user.toString, which --body asks for");
  });

  test.each(["{{}}", "{{a..b}}", "{{ }}", "{{.a}}"])("that asks for %s is refused", (text) => {
    expect(() => parseTemplate("--body", text, asJson)).toThrow("give names and dots");
  });
});

test.each([
  ["600 a minute", 600, 60_000, 10, 1_000],
  ["100 a minute", 100, 60_000, 2, 1_200],
  ["7 a minute", 7, 60_000, 7, 60_000],
  ["60 an hour", 60, 3_600_000, 1, 60_000],
  ["50 a second", 50, 1_000, 50, 1_000],
  ["5 in 100 ms", 5, 100, 5, 100],
  ["90,000 a minute", 90_000, 60_000, 1_500, 1_000],
])("%s is a pool of the shortest epochs that tell it exactly", (_name, count, intervalMs, max, epochMs) => {
  expect(poolOf({ count, intervalMs })).toEqual({ max, intervalMs: epochMs });
});

test("each part writes files of its own", () => {
  expect(fileOfPart({ part: 2, of: 4 }, "out/ok.jsonl")).toBe("out/ok.2-of-4.jsonl");
  expect(fileOfPart({ part: 2, of: 4 }, "/ok")).toBe("/ok.2-of-4");
  expect(fileOfPart({ part: 1, of: 1 }, "ok.jsonl")).toBe("ok.jsonl");
});
