import { describe, expect, test } from "vitest";
import { commandsFor } from "../src/commands/index.ts";
import { dt } from "./support/cli.ts";
import { run } from "./support/run.ts";

describe("dt", () => {
  test("--help lists the commands, without those that are for its own processes", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("demo [options]");
    expect(stdout).not.toContain("demo-process");
  });

  test("as a program, it prints its version and exits with 0", async () => {
    const { code, stdout } = await dt("--version");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });

  test("as a program, it exits with 2 when it is used wrongly", async () => {
    const { code, stdout, stderr } = await dt("demo", "--secnods", "30");
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("unknown option '--secnods'");
  });

  test("without a command it prints the help on standard error and exits with 2", async () => {
    const { code, stdout, stderr } = await run();
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("Usage: dt");
  });

  test.each([
    [["dmeo"], "unknown command 'dmeo'"],
    [["demo", "extra"], "too many arguments"],
    [["demo", "--max", "1.5"], "Give a whole number from 2 to 10000."],
    [["demo", "--max", "1e2"], "Give a whole number from 2 to 10000."],
    [["demo", "--max", "-5"], "Give a whole number from 2 to 10000."],
    [["demo", "--seconds", "5"], "Give a whole number from 20 to 3600."],
    [["demo", "--workers", "1"], "Give a whole number from 2 to 32."],
    [["demo", "--release", "never"], "Allowed choices are even, epoch."],
    [
      ["demo", "--store", "mysql://localhost"],
      "the store's address is of no known kind; give sqlite:<path>, redis://<host>:<port>, rediss://..., postgres://<host>/<database>, etcd://<host>:<port>, etcds://... or dynamodb:<table>",
    ],
    [["demo", "--store", "sqlite:"], "has no file; give sqlite:<path>"],
    [["demo", "--store", "redis://"], "has no host; give redis://<host>"],
    [["demo", "--max", "10", "--headroom", "10"], "--headroom 10 leaves nothing of --max 10"],
    [["demo", "--svg", "/no/such/folder/chart.svg"], "there is no folder /no/such/folder"],
    [["demo", "--svg", "/"], "--svg / is no file; give the name of a file"],
  ])("refuses %j with exit code 2 and says why", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(stdout).toBe("");
  });

  test("a command is loaded alone, by its own name", async () => {
    const namesOf = async (name?: string) =>
      (await commandsFor(name)).map(({ define }) => define({ entry: "dt" }).name());
    const all = await namesOf();
    expect(all).toContain("demo");
    for (const name of all) expect(await namesOf(name)).toEqual([name]);
    for (const other of ["--help", "help", "toString", "__proto__", "dmeo"]) expect(await namesOf(other)).toEqual(all);
  });

  test("demo --help explains every option", async () => {
    const { code, stdout } = await run("demo", "--help");
    expect(code).toBe(0);
    for (const option of ["seconds", "max", "workers", "release", "headroom", "store", "svg", "json"])
      expect(stdout).toContain(`--${option}`);
  });
});

describe("dt demo", () => {
  test("says what is wrong with a store that cannot be used, and exits with 1", async () => {
    const { code, stderr } = await run("demo", "--store", "sqlite:/no/such/folder/ledger.db");
    expect(code).toBe(1);
    expect(stderr).toContain("the store sqlite:/no/such/folder/ledger.db cannot be used");
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  // Nobody but the superuser could listen on port 1, and nobody does: the connection is refused.
  test.each([
    ["redis://user:secret@127.0.0.1:1", 1, "the store redis://127.0.0.1:1 cannot be used"],
    ["redis://127.0.0.1:1?password=secret", 1, "the store redis://127.0.0.1:1 cannot be used"],
    ["postgres://app:secret@127.0.0.1:1/app", 1, "the store postgres://127.0.0.1:1/app cannot be used"],
    ["postgres://127.0.0.1:1/app?user=app&password=secret", 1, "the store postgres://127.0.0.1:1/app cannot be used"],
    ["etcd://root:secret@127.0.0.1:1", 1, "the store etcd://127.0.0.1:1 cannot be used"],
    ["redis://user:secret%ZZ@127.0.0.1:1", 2, "a % that is not an escape; write a percent sign as %25"],
    ["postgres://app:secret%ZZ@127.0.0.1:1/app", 2, "a % that is not an escape; write a percent sign as %25"],
    ["reddis://user:secret@127.0.0.1:1", 2, "is of no known kind"],
    ["redis://user:secret@", 2, "has no host"],
    [
      "dynamodb:limits?password=secret",
      2,
      "dynamodb:limits has another parameter than region, endpoint and prefix; give only those",
    ],
  ])("does not show the password of %s", async (address, expected, message) => {
    const { code, stdout, stderr } = await run("demo", "--store", address);
    expect(stderr).toContain(message);
    expect(stderr + stdout).not.toContain("secret");
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(code).toBe(expected);
  });

  test("its own processes cannot be started by hand", async () => {
    const { code, stderr } = await dt("demo-process", "worker");
    expect(code).toBe(1);
    expect(stderr).toContain("for the processes that dt starts itself");
  });
});
