import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { startRedis, until } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { dt, dtInShell, startDt } from "../support/cli.ts";
import { linesFrom, numbers, pipeFolder, startTestCallee } from "../support/pipe.ts";
import { run } from "../support/run.ts";

describe("dt pipe", () => {
  test("writes lines that are no records to the errors, and sends all others", async () => {
    const { args, path, lines } = pipeFolder(0);
    const rows = [
      '{"id":1}\r',
      "",
      '{"id":',
      "   ",
      "[1,2",
      `{"id":2,"long":"${"x".repeat(3_000)}"}`,
      '{"id":3}',
      "nothing",
    ];
    writeFileSync(path("in.jsonl"), rows.join("\n"));
    const callee = await startTestCallee();
    const { code } = await dt(...args, "--url", callee.url, "--max-line", "2000");
    expect({ code, ids: callee.ids }).toEqual({ code: 3, ids: [1, 3] });
    expect(lines("err.jsonl")).toEqual([
      { input: '{"id":', error: expect.stringMatching(/^Not a record, number 2: /) },
      { input: "[1,2", error: expect.stringMatching(/^Not a record, number 3: /) },
      {
        input: expect.stringMatching(/^\{"id":2,"long":"x+$/),
        error: expect.stringContaining("3018 bytes, more than the 2000 of --max-line"),
      },
      { input: "nothing", error: expect.stringMatching(/^Not a record, number 6: /) },
    ]);
    expect(lines("ok.jsonl").map(({ input }) => input)).toEqual([{ id: 1 }, { id: 3 }]);
  });

  test("does not spend a call on a record that lacks a field, and gives numbers back with all their digits", async () => {
    const { args, path } = pipeFolder(0);
    writeFileSync(
      path("in.jsonl"),
      '{"id":1,"user":{"name":"ä"}}\n{"id":2}\n{"id":12345678901234567890,"user":{"name":5}}\n',
    );
    const urls: string[] = [];
    const callee = await startTestCallee((response, _id, _n, { url = "" }) => {
      urls.push(url);
      response.end();
    });
    const { code } = await dt(...args, "--url", `${callee.url}users/{{user.name}}`, "--concurrency", "1");
    expect({ code, urls }).toEqual({ code: 3, urls: ["/users/%C3%A4", "/users/5"] });
    expect(readFileSync(path("err.jsonl"), "utf8")).toBe(
      '{"input":{"id":2},"error":"the record has no field user.name, which --url asks for"}\n',
    );
    expect(readFileSync(path("ok.jsonl"), "utf8")).toContain(
      '{"input":{"id":12345678901234567890,"user":{"name":5}},"output":""}\n',
    );
  });

  test("writes a line that is nested too deeply to the errors, and sends what follows", async () => {
    const { args, path, lines } = pipeFolder(0);
    const nested = "[".repeat(100_000) + "]".repeat(100_000);
    writeFileSync(path("in.jsonl"), `{"id":0}\n${nested}\n${linesFrom(1, 20)}`);
    const callee = await startTestCallee();
    const { code } = await dt(...args, "--url", callee.url, "--concurrency", "1");
    expect({ code, ids: callee.ids, ok: lines("ok.jsonl").length }).toEqual({ code: 3, ids: numbers(0, 20), ok: 20 });
    expect(lines("err.jsonl")).toEqual([{ input: nested, error: expect.stringContaining("nested more than 1000") }]);
  });

  test("sends nothing for a record that would reach another resource, or add a header", async () => {
    const { args, path, lines } = pipeFolder(0);
    const hostile = ["..", ".", "", "a/b", "%2e%2e", "x\r\nX-Admin: 1", "__proto__"];
    writeFileSync(path("in.jsonl"), ["42", ...hostile].map((id) => `${JSON.stringify({ id })}\n`).join(""));
    const asked: string[] = [];
    const callee = await startTestCallee((response, _id, _n, { url, method, rawHeaders }) => {
      asked.push(`${method} ${url}${rawHeaders.includes("X-Admin") ? " X-Admin" : ""}`);
      response.end();
    });
    const { code } = await dt(
      ...[...args, "--url", `${callee.url}api/users/{{id}}`, "--method", "DELETE"],
      ...["--header", "X-Id: {{id}}", "--concurrency", "1"],
    );
    expect({ code, asked }).toEqual({ code: 3, asked: ["DELETE /api/users/42", "DELETE /api/users/__proto__"] });
    expect(lines("err.jsonl").map(({ input }) => input.id)).toEqual(hostile.slice(0, -1));
  });

  test("does not take records that lack a field for a sign that the service is ill", async () => {
    const { args, path, lines } = pipeFolder(0);
    writeFileSync(path("in.jsonl"), `${'{"no":"id"}\n'.repeat(300)}${linesFrom(0, 20)}`);
    const callee = await startTestCallee();
    const { code } = await dt(...args, "--url", `${callee.url}{{id}}`, "--on-throttled", "dead-letter");
    expect({ code, sent: callee.ids.length }).toEqual({ code: 3, sent: 20 });
    expect({ throttled: lines("later.jsonl"), errors: lines("err.jsonl").length }).toEqual({
      throttled: [],
      errors: 300,
    });
  });

  test("takes what is appended while it reads", async () => {
    const { args, path, ids } = pipeFolder(0);
    const long = (from: number, to: number): string => linesFrom(from, to).replaceAll("record", "x".repeat(2_000));
    writeFileSync(path("in.jsonl"), long(0, 300));
    const callee = await startTestCallee((response, _id, n) => {
      if (n === 1) appendFileSync(path("in.jsonl"), long(300, 320));
      response.end();
    });
    expect((await dt(...args, "--url", callee.url)).code).toBe(0);
    expect(ids()).toEqual(numbers(0, 320));
  });

  test("sends nothing when an output cannot be written: a folder, or in a folder that is not there", async () => {
    const { args, path } = pipeFolder(5);
    const callee = await startTestCallee();
    mkdirSync(path("folder"));
    for (const [bad, why] of [
      [path("folder"), `Nothing was sent: ${path("folder")} could not be opened`],
      [path("missing/ok.jsonl"), `there is no folder ${path("missing")}`],
    ] as const) {
      const asked = [...args];
      asked[asked.indexOf("--success") + 1] = bad;
      const { code, stdout, stderr } = await dt(...asked, "--url", callee.url);
      expect({ code, said: `${stdout}${stderr}` }).toEqual({ code: 2, said: expect.stringContaining(why) });
    }
    expect(callee.ids).toEqual([]);
  });

  test("ends when the disk is full, says so, and goes on when there is room", async () => {
    const { args, ids } = pipeFolder(3_000);
    const callee = await startTestCallee();
    const full = await dtInShell('ulimit -f 40; exec "$@"', ...args, "--url", callee.url);
    expect(full.code).toBe(1);
    expect(full.stdout).toMatch(
      /Could not go on: .*ok\.jsonl could not be written: EFBIG.*\. The same command goes on from here/,
    );
    expect((await dt(...args, "--url", callee.url)).code).toBe(0);
    expect([...new Set(ids())]).toEqual(numbers(0, 3_000));
    expect(ids().length - 3_000).toBeLessThanOrEqual(1_016);
  });

  test("sends nothing to an address where nobody listens, and says so", async () => {
    const { args, path, lines } = pipeFolder(5);
    const { code, stderr } = await dt(...args, "--url", "http://127.0.0.1:9/");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/127\.0\.0\.1:9 cannot be reached, nothing was sent: .*ECONNREFUSED/),
    });
    expect(lines("err.jsonl")).toEqual([]);
    const { code: noStore, stderr: why } = await dt(
      ...args,
      "--url",
      (await startTestCallee()).url,
      "--rate",
      "5/s",
      "--store",
      "redis://127.0.0.1:9",
    );
    expect({ noStore, why }).toEqual({ noStore: 2, why: expect.stringContaining("the --store: ") });
    expect(path("ok.jsonl")).toBeDefined();
  });

  test("ends when its store is gone for longer than its patience, and goes on when it is back", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { args, ids } = pipeFolder(1_000);
    const callee = await startTestCallee();
    const command = [...args, "--url", callee.url, "--rate", "50/s", "--store", redis.url, "--store-patience", "2s"];
    const first = startDt(command);
    await until("fifty were sent", 30_000, () => callee.ids.length >= 50);
    await redis.pause();
    const { code, stdout } = await first.finished;
    await redis.resume();
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/Could not go on: .*The same command goes on from here/),
    });
    // Nothing was written off because of it.
    expect(ids()).toHaveLength(callee.ids.length);
    const second = await dt(...command.slice(0, -6), "--json");
    expect(second.code).toBe(0);
    expect(ids()).toEqual(numbers(0, 1_000));
  });
});

describe("dt pipe refuses", () => {
  const files = ["--success", "/tmp/a", "--throttled", "/tmp/b", "--errors", "/tmp/c"];
  const input = ["--input", import.meta.filename];
  const url = ["--url", "http://localhost:1"];
  test.each([
    ["give either --input", [...url, ...files]],
    ["give either --input", [...input, "--retry-file", "x", ...url, ...files]],
    ["/no/such/file cannot be read", ["--input", "/no/such/file", ...url, ...files]],
    ["it is a folder", ["--input", "/tmp", ...url, ...files]],
    ["--success", [...input, ...url, ...files.slice(2)]],
    ["--errors /tmp/x/../a is --success as well", [...input, ...url, ...files, "--errors", "/tmp/x/../a"]],
    ["--throttled /tmp/b is what is read as well", ["--retry-file", "/tmp/b", ...url, ...files]],
    ["a whole number of requests", [...input, ...url, ...files, "--rate", "0.5/s"]],
    ["600/min", [...input, ...url, ...files, "--rate", "lots"]],
    ["give the limit with --rate", [...input, ...url, ...files, "--store", "sqlite:x"]],
    ["parts share --rate through a --store", [...input, ...url, ...files, "--rate", "5/s", "--part", "1/2"]],
    ["such as 2/4", [...input, ...url, ...files, "--part", "3/2"]],
    ["1 to 10000", [...input, ...url, ...files, "--concurrency", "0"]],
    ["dead-letter, drop, retry", [...input, ...url, ...files, "--on-throttled", "wait"]],
    ["at least 1ms", [...input, ...url, ...files, "--timeout", "0s"]],
    ["give names and dots", [...input, ...url, ...files, "--key", "a..b"]],
    ["begins with http://", [...input, ...files, "--url", "localhost:80"]],
  ])("what asks for: %s", async (message, args) => {
    const { code, stderr } = await run("pipe", ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
