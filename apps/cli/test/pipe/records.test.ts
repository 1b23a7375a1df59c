import { describe, expect, test } from "vitest";
import { BadLine } from "../../src/pipe/bad-line.ts";
import { parseExactly } from "../../src/pipe/exact-json.ts";
import { parsePart, WHOLE } from "../../src/pipe/part.ts";
import { type Position, type Reading, recordsOf } from "../../src/pipe/records.ts";

const START: Position = { records: 0, bytes: 0 };

/** Reads text that arrives in pieces of so many bytes. */
async function read(
  text: string | Buffer,
  { size = 7, start = START, ...reading }: Partial<Reading> & { size?: number; start?: Position } = {},
) {
  const bytes = Buffer.from(text as string).subarray(start.bytes);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const ends: Position[] = [];
  const records: unknown[] = [];
  const how = { part: WHOLE, longest: 100, deadLetters: false, ...reading };
  for await (const record of recordsOf(pieces(), start, how, (end) => ends.push(end)))
    records.push(record instanceof BadLine ? { text: record.toJSON(), fault: record.fault } : record);
  return { records, ends };
}

describe("the records of an input", () => {
  test.each([1, 2, 3, 5, 1_000])(
    "are its lines, wherever the pieces of %i bytes end that they arrive in",
    async (size) => {
      const text = '\ufeff{"a":"ü€😀"}\r\n\n   \r\n2\n"three"';
      const { records, ends } = await read(text, { size });
      expect(records).toEqual([{ a: "ü€😀" }, 2, "three"]);
      expect(ends.at(-1)).toEqual({ records: 3, bytes: Buffer.byteLength(text) });
    },
  );

  test("can be read on from where any of them ends", async () => {
    const text = '1\n\n2\r\n{"x":3}\n4\n5';
    const { records, ends } = await read(text);
    for (const [index, end] of ends.entries())
      expect((await read(text, { start: end })).records).toEqual(records.slice(index + 1));
  });

  test("of all parts together are each record once, also when a part is read on", async () => {
    const text = Array.from({ length: 23 }, (_, n) => `${n}\n`).join("");
    const parts = await Promise.all([1, 2, 3, 4].map((part) => read(text, { part: { part, of: 4 } })));
    expect(parts.flatMap(({ records }) => records).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 23 }, (_, n) => n),
    );
    const [, second] = parts;
    const rest = await read(text, { part: { part: 2, of: 4 }, start: second?.ends[1] as Position });
    expect(rest.records).toEqual(second?.records.slice(2));
  });

  test("that are no JSON, not UTF-8 or too long are named by number, and those beside them are read", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":\n\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`"${"x".repeat(5_000)}"\n7\n`),
    ]);
    const { records } = await read(bytes);
    expect(records).toEqual([
      { a: 1 },
      { text: '{"a":', fault: expect.stringMatching(/^Not a record, number 2: .*JSON/) },
      { text: '"\ufffd"', fault: "Not a record, number 3: its line is not UTF-8" },
      {
        text: expect.stringMatching(/^"x{99,110}$/),
        fault: "Not a record, number 4: its line has 5002 bytes, more than the 100 of --max-line",
      },
      7,
    ]);
  });

  test.each([
    ["arrays", (n: number) => "[".repeat(n) + "]".repeat(n)],
    ["objects", (n: number) => `${'{"a":'.repeat(n)}0${"}".repeat(n)}`],
    [
      "arrays of numbers that a double cannot hold",
      (n: number) => `${"[".repeat(n)}12345678901234567890${"]".repeat(n)}`,
    ],
  ])(
    "that are %s within each other up to 1,000 deep can be written again, deeper ones are none",
    async (_name, nested) => {
      const decoy = `{"text":"${'\\"[{'.repeat(2_000)}"}`;
      const { records } = await read(`${nested(1_000)}\n${nested(1_001)}\n${nested(100_000)}\n${decoy}\n7`, {
        size: 65_536,
        longest: 2 ** 20,
      });
      expect(JSON.stringify(records[0])).toBe(nested(1_000));
      expect(records[1]).toMatchObject({
        text: nested(1_001),
        fault: expect.stringContaining("nested more than 1000"),
      });
      expect(records[2]).toMatchObject({ text: nested(100_000) });
      expect([JSON.stringify(records[3]), records[4]]).toEqual([decoy, 7]);
      const letter = `{"input":${nested(1_000)},"error":"late"}`;
      const again = await read(letter, { deadLetters: true, size: 65_536, longest: 2 ** 20 });
      expect(JSON.stringify(again.records[0])).toBe(nested(1_000));
    },
  );

  test("may hold anything that JSON can, and it comes back as it was", async () => {
    const rows = [
      '{"__proto__":{"a":1},"constructor":2}',
      '{"a":"\\ud800","b":"\\u0000"}',
      '{"then":1,"toJSON":2,"rawJSON":"3"}',
    ];
    const { records } = await read(`\ufeff${rows.join("\r\n")}\r\n\ufeff\r\n\0\n`, { size: 65_536 });
    expect(records.slice(0, 3).map((record) => JSON.stringify(record))).toEqual(rows);
    expect(records.slice(3)).toEqual([{ text: "\0", fault: expect.stringMatching(/^Not a record, number 4: /) }]);
  });

  test("keep numbers that a double cannot hold", async () => {
    const text =
      '{"id":12345678901234567890,"all":[0.12345678901234567891,1e400,1.5,-3],"text":"12345678901234567890"}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  test("of dead letters are their inputs; what was no record before is none again", async () => {
    const letters = [
      { input: { id: 1 }, error: "Server returned HTTP response code: 429" },
      { input: '{"a":', error: "Not a record, number 9: Unexpected end of JSON input" },
      { input: "a string", error: "read ECONNRESET" },
      { id: 4 },
    ];
    const { records } = await read(letters.map((letter) => `${JSON.stringify(letter)}\n`).join(""), {
      deadLetters: true,
    });
    expect(records).toEqual([
      { id: 1 },
      { text: '{"a":', fault: "Not a record, number 9: Unexpected end of JSON input" },
      "a string",
      { text: '{"id":4}', fault: expect.stringContaining("Not a record, number 4: its line has no input") },
    ]);
  });
});

test.each(["0/4", "5/4", "1/0", "1", "a/b", "1/2/3", "-1/2"])("%s is no part", (text) => {
  expect(() => parsePart(text)).toThrow("such as 2/4");
});
