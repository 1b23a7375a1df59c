import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PassThrough } from "node:stream";
import { sqliteStore } from "@dt/sqlite";
import { newcomer, permitRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, onTestFinished, test } from "vitest";
import { FleetView } from "../src/demo/report/fleet-view.ts";
import { Progress } from "../src/demo/report/progress.ts";
import { shown } from "../src/terminal.ts";
import { dt } from "./support/cli.ts";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

/** What a terminal would obey or reorder: all but ends of lines. */
const OBEYED = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

const HOSTILE = [
  "\u001b[2Jcleared",
  "\u009b31mred",
  "\u0007bell\b\b\b\b",
  "\u202egnp.exe",
  "\u2066isolated\u2069 \u200fmark \u061c",
  "line\r\nanother\u2028third\u0085",
  "\u{e0001}tag \u00ad\ufeff\u200b",
  "tab\there",
];

test.each([
  ["plain text, ünïcödé 日本語 🙂\nand a second line", "plain text, ünïcödé 日本語 🙂\nand a second line"],
  ["\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
  ["a\u202eb\u2069c\u009b\u007f", "a\\u202eb\\u2069c\\u009b\\u007f"],
  ["\u{e0001}", "\\udb40\\udc01"],
  ["half \ud800 of one", "half \\ud800 of one"],
])("%j is shown as %j", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

/** A file with a throttle and a pacer of each name, and a member of that id in each throttle. */
async function hostileStore(): Promise<string> {
  const path = join(scratchFolder(), "ledger.db");
  await using store = sqliteStore({ path });
  for (const name of HOSTILE) {
    await store.register(name, newcomer({ id: name, incarnation: name }));
    await store.reserve(name, permitRequest({ everyMs: 3_600_000, terms: name }));
  }
  return path;
}

describe("names, ids and terms", () => {
  test("are shown without a character that a terminal obeys, and are the same names as JSON", async () => {
    const address = `sqlite:${await hostileStore()}`;
    const { stdout } = await run("status", address);
    expect(stdout).not.toMatch(OBEYED);
    const json = (await run("status", address, "--json")).stdout;
    expect(json).not.toMatch(OBEYED);
    const { limiters } = JSON.parse(json) as { limiters: { kind: string; name: string }[] };
    const ofKind = (kind: string) => limiters.filter((one) => one.kind === kind).map(({ name }) => name);
    const names = [...HOSTILE].sort();
    expect([ofKind("throttle").sort(), ofKind("pacer").sort()]).toEqual([names, names]);
    // A row of the table each: no name ends its line.
    expect(stdout.split("\n\n")[1]?.match(/^(throttle|pacer) +/gm)).toHaveLength(2 * names.length);
  });

  test.each(HOSTILE)("are shown so by status and repair: %j", async (name) => {
    const path = await hostileStore();
    const address = `sqlite:${path}`;
    for (const args of [
      ["status", address, name],
      ["status", address, name, "--kind", "pacer"],
      ["repair", address, "throttle", name],
      ["repair", address, "throttle", `no ${name}`],
      ["repair", address, "pacer", name],
    ]) {
      const { stdout, stderr } = await run(...args);
      expect(stderr).toBe("");
      expect(stdout).toContain(shown(JSON.stringify(name)).slice(1, -1));
      expect(stdout).not.toMatch(OBEYED);
    }
    const { stdout } = await run("status", address, name, "--kind", "throttle", "--json");
    expect(stdout).not.toMatch(OBEYED);
    expect(JSON.parse(stdout)).toMatchObject({ limiters: [{ kind: "throttle", name, members: [{ id: name }] }] });
    const { code, stderr } = await run("status", address, `no ${name}`);
    expect(code).toBe(1);
    expect(stderr).not.toMatch(OBEYED);
  });

  test.each(HOSTILE)("are shown so in errors of damaged rows: %j", async (name) => {
    const path = await hostileStore();
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE groups SET capacity = -5; UPDATE members SET held = -1; UPDATE permit_keys SET tat_ms = 9e999",
    );
    database.close();
    for (const args of [[], [name]]) {
      const { code, stdout } = await run("status", `sqlite:${path}`, ...args);
      expect(code).toBe(3);
      expect(stdout).toContain("cannot be read: ");
      expect(stdout).not.toMatch(OBEYED);
    }
    const { stdout, stderr } = await run("repair", `sqlite:${path}`, name);
    expect(stdout + stderr).not.toMatch(OBEYED);
  });

  test.each(HOSTILE)("on the command line: %j", async (name) => {
    for (const args of [
      [name],
      ["status", name],
      ["status", `sqlite:/no/such/${name}`],
      ["status", `redis://127.0.0.1:1/${name}`],
      ["status", "sqlite:x.db", `--${name}`],
      ["demo", "--svg", `/no/such/${name}/chart.svg`],
      ["demo", "--max", name],
      ["callee", "--phases", name],
      ["capacity", "--url", `http://${name}/`],
      ["pipe", "--url", `http://${name}/`],
      ["simulate", name],
    ]) {
      const { stdout, stderr } = await run(...args);
      expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
      expect(stderr).not.toBe("");
    }
  });
});

test("what a server answers is shown so, and cannot pass for another line of the command", async () => {
  const text = HOSTILE.join(" ");
  const refusal = ["SFATAL", "C28000", `M${text}`, "", ""].join("\0");
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(refusal));
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(refusal)])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const { code, stderr } = await run("status", `postgres://127.0.0.1:${port}/app`);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(OBEYED);
  expect(stderr).toContain("cleared");
  // Each further line is set in.
  expect(stderr).toMatch(/^error: .*\n( {2}.*\n)*$/);
});

test("what a target file says is shown so", async () => {
  const file = join(scratchFolder(), "target.mjs");
  const text = JSON.stringify(HOSTILE.join(" "));
  writeFileSync(
    file,
    `export default { name: ${text}, capabilities: { name: ${text}, clock: "server", ledger: true, losesData: false, hints: false },
      createStore() { throw new Error(${text}); } };`,
  );
  for (const flags of [[], ["--json"]]) {
    const { stdout, stderr } = await dt("conformance", file, "R15", ...flags);
    expect(stdout + stderr).not.toMatch(OBEYED);
    expect(stdout + stderr).toContain("cleared");
  }
});

test("what went wrong at a worker is shown so in the live view of the demo", async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 50 });
  const text: string[] = [];
  stream.setEncoding("utf8").on("data", (part: string) => text.push(part));
  const fleet = new FleetView(1, 10);
  const progress = new Progress(["t"], 1, 10, fleet, new FleetView(1, 10));
  fleet.onEntry({ worker: 1, entry: { type: "trouble", atMs: 1, what: "sync", message: HOSTILE.join(" ") } });
  const done = progress.show(stream as never);
  await expect.poll(() => text.join("")).toContain("cleared");
  done();
  expect(text.join("")).not.toContain("\u001b[2Jcleared");
  for (const character of ["\u0007", "\u009b", "\u202e", "\u2066", "\u2028"])
    expect(text.join("")).not.toContain(character);
});

test("no file but one writes to the terminal by itself", () => {
  const root = join(import.meta.dirname, "../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const writing = files.filter((name) =>
    /process\.std(out|err)\.write\(|console\.\w+\(/.test(readFileSync(join(root, name), "utf8")),
  );
  expect(writing).toEqual(["terminal.ts"]);
});
