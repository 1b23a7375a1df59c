import { type PostgresServer, startPostgres, timed } from "@dt-tooling/backends";
import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type PostgresTableOptions, postgresTable } from "../../src/sinks/postgres-table.ts";
import { failed, succeeded, throttledByUs } from "../support/endings.ts";

/** The deadline is 1 s; a busy machine may take a while to say so. */
const SETTLED_MS = 1_900;

let server: PostgresServer;
let admin: pg.Pool;

beforeAll(async () => {
  server = await startPostgres({ control: true });
  admin = new pg.Pool({ connectionString: server.url, max: 2 });
  admin.on("error", () => {});
});

afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

let names = 0;

/** A sink to a table of its own, which it makes. What is not about deadlines has time to spare. */
function sinkOn(options: Partial<PostgresTableOptions> = {}) {
  const table = `later_${++names}`;
  const address = options.pool || options.connectionString ? {} : { connectionString: server.url };
  const sink = postgresTable({ table, create: true, timeout: "10s", ...address, ...options });
  onTestFinished(() => sink.close?.()?.catch(() => {}));
  return { sink, table };
}

const rowsOf = async (table: string) =>
  (await admin.query(`SELECT kind, input::text, output::text, error FROM ${table} ORDER BY id`)).rows;

it("an ending is a row with its kind, its input, and the result or the error", async () => {
  const { sink, table } = sinkOn();
  await sink.open?.();
  await sink.write(succeeded({ id: 1 }, ["fine", null]));
  await sink.write(throttledByUs("o'clock \\ Grüße"));
  await sink.write(failed(null, "Corresponding error"));
  await sink.close?.();
  const error = "Throttled by Client. Request rejection probability: 0.3111111111111111";
  expect(await rowsOf(table)).toEqual([
    { kind: "success", input: '{"id":1}', output: '["fine",null]', error: null },
    { kind: "throttled", input: JSON.stringify("o'clock \\ Grüße"), output: null, error },
    { kind: "error", input: "null", output: null, error: "Corresponding error" },
  ]);
});

it("a record that PostgreSQL could not store as text or jsonb is stored as it is", async () => {
  const { sink, table } = sinkOn();
  await sink.open?.();
  const odd = "a\0b\ud800c";
  await sink.write(failed(odd, `no call: ${odd}`));
  await sink.close?.();
  const [row] = await rowsOf(table);
  expect(JSON.parse(row.input)).toBe(odd);
  expect(row.error).toMatch(/^no call: a\uFFFDb/);
});

it("a thousand endings are ten statements, in their order", async () => {
  const { sink, table } = sinkOn({ linger: "1h" });
  await sink.open?.();
  for (let n = 0; n < 1_000; n++) await sink.write(succeeded(n, n));
  await sink.flush?.();
  expect((await rowsOf(table)).map(({ input }) => Number(input))).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  const { rows } = await admin.query(`SELECT count(DISTINCT xmin::text) AS statements FROM ${table}`);
  expect(Number(rows[0].statements)).toBe(10);
});

it("a pool of the user's is used, and stays open; a table of the user's may have a schema and more columns", async () => {
  await admin.query(
    "CREATE SCHEMA app; CREATE TABLE app.later (run int DEFAULT 7, kind text, input jsonb, output jsonb, error text)",
  );
  const sink = postgresTable({ pool: admin, table: "app.later", timeout: "10s" });
  await sink.open?.();
  await sink.write(succeeded({ a: 1 }, 2));
  await sink.close?.();
  expect((await admin.query("SELECT run, kind, input, output FROM app.later")).rows).toEqual([
    { run: 7, kind: "success", input: { a: 1 }, output: 2 },
  ]);
});

it("ten processes that make the same table at once all find it", async () => {
  const sinks = Array.from({ length: 10 }, () => sinkOn({ table: "together" }).sink);
  await Promise.all(sinks.map((sink) => sink.open?.()));
  await Promise.all(sinks.map((sink, n) => sink.write(succeeded(n, n))));
  await Promise.all(sinks.map((sink) => sink.flush?.()));
  expect((await rowsOf("together")).length).toBe(10);
});

it("a stopped server is an error in about a second, and so is every later write", async () => {
  const own = await startPostgres({ control: true });
  onTestFinished(() => own.stop());
  const { sink } = sinkOn({ connectionString: own.url, timeout: "1s" });
  await sink.open?.();
  await sink.write(succeeded(1, 1));
  await sink.flush?.();
  await own.pause();
  await sink.write(succeeded(2, 2));
  const { error, ms } = await timed(sink.flush?.() as Promise<void>);
  expect(error).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
  expect(ms).toBeLessThan(SETTLED_MS);
  await expect(sink.write(succeeded(3, 3))).rejects.toBe(error);
  const closed = await timed(sink.close?.() as Promise<void>);
  expect(closed.error).toBe(error);
  expect(closed.ms).toBeLessThan(SETTLED_MS);
  await own.resume();
});

it("a table that is missing, has other columns or may not be used is said before anything is written", async () => {
  const opening = (options: Partial<PostgresTableOptions>) => sinkOn({ create: false, ...options }).sink.open?.();
  await expect(opening({ table: "nowhere" })).rejects.toMatchObject({
    code: "DT_STORE_UNSUITABLE",
    message: expect.stringMatching(/"nowhere" does not exist .* give the sink create: true/),
  });
  await expect(opening({ table: "no_schema.later", create: true })).rejects.toThrow("make the schema first");
  await admin.query("CREATE TABLE another (input json)");
  await expect(opening({ table: "another" })).rejects.toThrow('"another" needs the columns kind and error (text)');
  await admin.query("CREATE TABLE private (kind text, input json, output json, error text); CREATE ROLE weak LOGIN");
  const connectionString = Object.assign(new URL(server.url), { username: "weak" }).href;
  await expect(opening({ table: "private", connectionString })).rejects.toThrow("the role needs INSERT and SELECT");
});

it("a batch that a constraint refuses leaves no row, and the message names the table", async () => {
  await admin.query("CREATE TABLE strict (kind text, input json, output json, error text CHECK (error <> 'never'))");
  const { sink } = sinkOn({ table: "strict", create: false });
  await sink.open?.();
  await sink.write(failed(1, "sometimes"));
  await sink.write(failed(2, "never"));
  await expect(sink.flush?.()).rejects.toThrow(/SQLSTATE 23514\); a constraint or a type of "strict" refuses it/);
  expect((await admin.query("SELECT 1 FROM strict")).rows).toEqual([]);
});

it("slips are told apart", () => {
  const address = { connectionString: "postgres://h/d" };
  for (const table of ["", "a.b.c", 'x"; DROP TABLE y; --', "1st"])
    expect(() => postgresTable({ ...address, table })).toThrow(/^table is .*; give a name such as "later"/);
  expect(() => postgresTable({ ...address, table: "t", create: "yes" as never })).toThrow('create is "yes"');
  expect(() => postgresTable({ table: "t" })).toThrow("neither connectionString nor pool is given; give one of them");
  expect(() => postgresTable({ ...address, table: "t", batchs: 5 } as PostgresTableOptions)).toThrow(
    "did you mean batch?",
  );
  expect(() => postgresTable({ ...address, table: "t", ssl: true } as PostgresTableOptions)).toThrow(
    "sslmode=verify-full",
  );
});
