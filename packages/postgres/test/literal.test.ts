import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { literal } from "../src/statement/literal.ts";

/**
 * Literals instead of parameters: what comes back from the server must be what went in, under every setting that
 * changes how it reads.
 */

let server: PostgresServer;
let client: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  client = new pg.Client(server.url);
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await server?.stop();
});

const texts = [
  "plain",
  "",
  "it's",
  "''; DROP TABLE dt_member; --",
  "\\'; SELECT 1; --",
  "back\\slash \\x41 \\\\",
  "a\nb\tc\u007f\u0001",
  "$$ $1 {schema} % _ [brackets] ^ ~ `",
  "é 日本語 あ 🎈 \u2028 \ufeff \u{10ffff}",
  // In Shift JIS and the like, the last byte of あ's UTF-8 would swallow a backslash that follows.
  "あ\\'; SELECT 1; --",
];

describe.each([
  ["as they are", "SELECT 1"],
  ["with standard_conforming_strings off", "SET standard_conforming_strings = off"],
  ["with client_encoding SJIS", "SET client_encoding = 'SJIS'"],
  ["with extra_float_digits -10", "SET extra_float_digits = -10"],
])("settings %s", (_, setting) => {
  beforeAll(async () => {
    await client.query("RESET ALL");
    await client.query(setting);
  });

  test.each(texts)("leave %j what it is", async (text) => {
    const { rows } = await client.query(`SELECT encode(convert_to(${literal(text)}::text, 'UTF8'), 'hex') AS hex`);
    expect(Buffer.from(rows[0].hex, "hex").toString("utf8")).toBe(text);
  });

  test.each([0, -0, 0.1 + 0.2, 1e21, 5e-324, Number.MAX_VALUE, 1_795_169_407_173.343])(
    "leave %d the same double",
    async (number) => {
      const { rows } = await client.query(`SELECT encode(float8send(${literal(number)}), 'hex') AS hex`);
      expect(Buffer.from(rows[0].hex, "hex").readDoubleBE()).toBe(number + 0);
    },
  );

  test("leave lists what they are", async () => {
    const hexOf = (value: string): string =>
      `SELECT array_agg(encode(convert_to(t, 'UTF8'), 'hex')) FROM unnest(${value}) t`;
    const { rows } = await client.query(
      `SELECT (${hexOf(literal(texts))}) AS texts, ${literal([0.1 + 0.2, 5e-324])}::float8[] = ARRAY[0.30000000000000004, 5e-324]::float8[] AS doubles,
        ${literal([true, false])}::boolean[] = ARRAY[true, false] AS truths, cardinality(${literal([])}::text[]) AS none`,
    );
    const hex = texts.map((text) => Buffer.from(text, "utf8").toString("hex"));
    expect(rows).toEqual([{ texts: hex, doubles: true, truths: true, none: 0 }]);
  });

  test("leave whole numbers, truth and nothing what they are", async () => {
    const { rows } = await client.query(
      `SELECT ${literal(Number.MAX_SAFE_INTEGER)}::bigint::text AS big, ${literal(true)}::boolean AS yes, ${literal(null)} IS NULL AS nothing`,
    );
    expect(rows).toEqual([{ big: "9007199254740991", yes: true, nothing: true }]);
  });
});
