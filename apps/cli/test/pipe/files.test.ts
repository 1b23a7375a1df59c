import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { until } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { dt, dtInShell, startDt } from "../support/cli.ts";
import { pipeFolder, startTestCallee } from "../support/pipe.ts";
import { run } from "../support/run.ts";

/** What a folder holds, name by name. */
function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(`${folder}/${name}`, "utf8")]),
  );
}

/** Changes options of a command line. */
function withOptions(args: readonly string[], changes: Readonly<Record<string, string>>): string[] {
  const changed = [...args];
  for (const [option, value] of Object.entries(changes)) {
    const at = changed.indexOf(option);
    if (at < 0) changed.push(option, value);
    else changed[at + 1] = value;
  }
  return changed;
}

describe("dt pipe uses no file for two things:", () => {
  type Prepare = (path: (name: string) => string) => Record<string, string>;
  const cases: [string, Prepare][] = [
    ["the checkpoint is an output", (path) => ({ "--checkpoint": path("ok.jsonl") })],
    ["the checkpoint is the input", (path) => ({ "--checkpoint": path("in.jsonl") })],
    ["an output is where the checkpoint is by default", (path) => ({ "--success": path("later.jsonl.checkpoint") })],
    ["an output is where the checkpoint is made", (path) => ({ "--errors": path("later.jsonl.checkpoint.new") })],
    ["an output is another one's lock", (path) => ({ "--errors": path("ok.jsonl.lock") })],
    ["an output is the checkpoint's lock", (path) => ({ "--errors": path("c.lock"), "--checkpoint": path("c") })],
    ["an output is where another one's half line goes", (path) => ({ "--errors": path("ok.jsonl.torn") })],
    ["the input is a lock", (path) => ({ "--success": path("in"), "--input": path("in.lock") })],
    ["an output is the store", (path) => ({ "--store": `sqlite:${path("ok.jsonl")}`, "--rate": "5/s" })],
    [
      "an output is beside the store",
      (path) => ({ "--store": `sqlite:${path("ok")}`, "--rate": "5/s", "--errors": path("ok-wal") }),
    ],
    ["by a relative path", (path) => ({ "--errors": path("sub/../ok.jsonl") })],
    ["by case", (path) => ({ "--errors": path("OK.jsonl") })],
    ["by how an accent is made up", (path) => ({ "--errors": path("\u00fc"), "--success": path("u\u0308") })],
    [
      "by a hard link",
      (path) => {
        linkSync(path("in.jsonl"), path("hard"));
        return { "--success": path("hard") };
      },
    ],
    [
      "by a symlink to a file",
      (path) => {
        symlinkSync(path("in.jsonl"), path("soft"));
        return { "--success": path("soft") };
      },
    ],
    [
      "by symlinks that lead nowhere yet",
      (path) => {
        symlinkSync("nowhere.jsonl", path("soft"));
        symlinkSync(path("soft"), path("softer"));
        return { "--success": path("softer"), "--checkpoint": path("nowhere.jsonl") };
      },
    ],
    [
      "by a symlink to a folder",
      (path) => {
        mkdirSync(path("real"));
        symlinkSync(path("real"), path("folder"));
        return { "--success": path("real/x"), "--errors": path("folder/x") };
      },
    ],
  ];

  test.each(cases)("%s", async (_name, prepare) => {
    const { args, path, folder } = pipeFolder(5);
    mkdirSync(path("sub"));
    writeFileSync(path("in.lock"), '{"id":1}\n');
    const options = prepare(path);
    const before = contentsOf(folder);
    const { code, stderr } = await run(...withOptions(args, options), "--url", "http://127.0.0.1:9");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("give files of their own") });
    expect(contentsOf(folder)).toEqual(before);
  });

  test("what the shell reads and writes", async () => {
    const { args, path } = pipeFolder(5);
    const [, , , ...outputs] = args;
    for (const [redirection, what] of [
      [`< "${path("in.jsonl")}" > "${path("ok.jsonl")}"`, "standard output is --success"],
      [`< "${path("in.jsonl")}" 2> "${path("ok.jsonl")}"`, "is --success"],
      [`< "${path("ok.jsonl")}"`, "standard input is --success"],
    ]) {
      writeFileSync(path("ok.jsonl"), '{"id":1}\n');
      const shell = `"$@" ${redirection}`;
      const { code, stderr } = await dtInShell(
        shell,
        "pipe",
        "--input",
        "-",
        ...outputs,
        "--url",
        "http://127.0.0.1:9",
      );
      const told = redirection?.includes("2>") ? readFileSync(path("ok.jsonl"), "utf8") : stderr;
      expect({ code, told }).toEqual({ code: 2, told: expect.stringContaining(`${what}`) });
    }
  });
});

describe("a lock", () => {
  test("is only ever a file of ours: what else is there stays, also behind a link", async () => {
    const { args, path } = pipeFolder(5);
    for (const put of [
      () => writeFileSync(path("ok.jsonl.lock"), "notes of the user\n"),
      () => symlinkSync(path("1"), path("ok.jsonl.lock")),
    ]) {
      writeFileSync(path("1"), "1\n");
      put();
      const { code, stderr } = await run(...args, "--url", "http://127.0.0.1:9");
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("is no lock of dt pipe") });
      expect(readFileSync(path("1"), "utf8")).toBe("1\n");
      expect(existsSync(path("ok.jsonl.lock"))).toBe(true);
      rmSync(path("ok.jsonl.lock"));
    }
  });

  test("keeps a second process from the checkpoint, and from a file that it knows by another name", async () => {
    const { args, path } = pipeFolder(10);
    symlinkSync(path("ok.jsonl"), path("other-ok.jsonl"));
    const callee = await startTestCallee(() => undefined);
    const first = startDt([...args, "--url", callee.url, "--checkpoint", path("c")]);
    onTestFinished(() => first.kill("SIGKILL"));
    await until("the first one sends", 30_000, () => callee.ids.length > 0);
    const own = { "--success": path("ok-2"), "--throttled": path("later-2"), "--errors": path("err-2") };
    for (const changes of [
      { ...own, "--checkpoint": path("c") },
      { ...own, "--success": path("other-ok.jsonl") },
    ]) {
      const { code, stderr } = await run(...withOptions(args, changes), "--url", callee.url);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("writes to the same files") });
    }
  });
});

test("an output that is deleted while dt pipe runs is an error at the end", async () => {
  const { args, path } = pipeFolder(10);
  const callee = await startTestCallee((response, id) => {
    if (id === 5) rmSync(path("ok.jsonl"));
    response.end();
  });
  const { code, stdout } = await dt(...args, "--url", callee.url, "--concurrency", "1");
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/Could not go on: .*ok\.jsonl could not be kept: it was deleted, moved or replaced/),
  });
});
