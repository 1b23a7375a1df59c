import { rmSync, writeFileSync } from "node:fs";
import { startRedis } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { dt, dtInShell } from "../support/cli.ts";
import { linesFrom, numbers, pipeFolder, startTestCallee } from "../support/pipe.ts";

/** The most calls in any window of so many milliseconds. */
function mostIn(windowMs: number, atMs: readonly number[]): number {
  return Math.max(...atMs.map((from) => atMs.filter((at) => at >= from && at < from + windowMs).length));
}

/** Seconds by which the callee, on a busy machine, may note a call late; those of all that time then come together. */
const LATE = 0.2;

describe("dt pipe", () => {
  test("sends each record, inside a limit that is kept in a file, and writes it to exactly one of three files", async () => {
    const { args, path, lines, ids } = pipeFolder(60);
    const callee = await startTestCallee((response, id) => {
      if (id % 20 === 7) response.writeHead(429).end();
      else if (id % 20 === 8) response.writeHead(500).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(`{"id":${id}}`);
    });
    const { code, stdout } = await dt(
      ...args,
      "--url",
      callee.url,
      "--rate",
      "40/s",
      "--store",
      `sqlite:${path("limits.db")}`,
    );
    expect(code).toBe(3);
    expect(ids()).toEqual(numbers(0, 60));
    expect([...callee.ids].sort((a, b) => a - b)).toEqual(numbers(0, 60));
    expect(lines("ok.jsonl")[0]).toEqual({ input: { id: 0, text: "record 0" }, output: { id: 0 } });
    const throttled = { error: "Server returned HTTP response code: 429" };
    expect(lines("later.jsonl")).toEqual(
      [7, 27, 47].map((id) => ({ input: { id, text: `record ${id}` }, ...throttled })),
    );
    expect(lines("err.jsonl").map(({ error }) => error)).toEqual(
      Array(3).fill("Server returned HTTP response code: 500"),
    );
    expect(mostIn(1_000, callee.atMs)).toBeLessThanOrEqual(40 + LATE * 40);
    expect(stdout).toMatch(
      /60 records in .*\n {2}success +54 .*ok.jsonl\n {2}throttled +3 .*\n {2}errors +3 .*\n.*--retry-file .*later.jsonl\n$/,
    );
  });

  test("in parts takes disjoint records, and all parts together keep the limit that they share in Redis", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { args, ids, lines } = pipeFolder(90);
    const callee = await startTestCallee();
    const shared = ["--url", callee.url, "--rate", "30/s", "--store", redis.url];
    const runs = [1, 2, 3].map((part) => dt(...args, ...shared, "--part", `${part}/3`, "--json"));
    const ended = await Promise.all(runs);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ended.map(({ stdout }) => (JSON.parse(stdout) as { total: unknown }).total)).toEqual(
      Array(3).fill({ success: 30, throttled: 0, errors: 0, dropped: 0 }),
    );
    expect(lines("ok.2-of-3.jsonl").every(({ input }) => input.id % 3 === 1)).toBe(true);
    expect(ids(".1-of-3", ".2-of-3", ".3-of-3")).toEqual(numbers(0, 90));
    expect(mostIn(2_000, callee.atMs)).toBeLessThanOrEqual(60 + LATE * 30);
  });

  test.each([
    ["Retry-After", 429, { "retry-after": "1" }],
    ["RateLimit", 200, { ratelimit: '"default";r=0;t=1' }],
  ])("calls nobody before the time that %s tells", async (_field, status, headers) => {
    const { args } = pipeFolder(40);
    const callee = await startTestCallee((response, _id, n) =>
      response.writeHead(n === 5 ? status : 200, n === 5 ? headers : {}).end(),
    );
    const { code } = await dt(...args, "--url", callee.url, "--concurrency", "1", "--no-reject");
    expect(code).toBe(status === 200 ? 0 : 3);
    const [fifth = 0, sixth = 0] = callee.atMs.slice(4);
    expect(sixth - fifth).toBeGreaterThanOrEqual(990);
  });

  test("takes an answer for what it is, also when it looks like a failure", async () => {
    const { args, lines } = pipeFolder(1);
    const body = { status: 429, statusCode: 500, headers: {}, error: "none" };
    const callee = await startTestCallee((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
    const { code } = await dt(...args, "--url", callee.url);
    expect({ code, output: lines("ok.jsonl")[0]?.output }).toEqual({ code: 0, output: body });
  });

  test("feeds dead letters again", async () => {
    const { args, lines, path } = pipeFolder(20);
    const callee = await startTestCallee((response, _id, n) => (n <= 20 ? response.writeHead(429) : response).end());
    const first = await dt(...args, "--url", callee.url, "--no-reject");
    expect({ code: first.code, throttled: lines("later.jsonl").length }).toEqual({ code: 3, throttled: 20 });
    const again = ["pipe", "--retry-file", path("later.jsonl"), ...args.slice(3)];
    again[again.indexOf("--throttled") + 1] = path("later-2.jsonl");
    const second = await dt(...again, "--url", callee.url);
    expect({ ...second, code: second.code }).toMatchObject({ code: 0 });
    expect(lines("ok.jsonl").map(({ input }) => input)).toHaveLength(20);
    expect(lines("later-2.jsonl")).toEqual([]);
  });

  test("takes records from standard input", async () => {
    const { args, ids, path } = pipeFolder(0);
    writeFileSync(path("piped.jsonl"), linesFrom(0, 500));
    const callee = await startTestCallee();
    const [, , , ...outputs] = args;
    const shell = `cat "${path("piped.jsonl")}" | "$@"`;
    const { code, stdout } = await dtInShell(shell, "pipe", "--input", "-", ...outputs, "--url", callee.url);
    expect({ code, ids: ids() }).toEqual({ code: 0, ids: numbers(0, 500) });
    expect(stdout).toContain("standard input: 500 records");
  });

  test("takes a stream for a new one each time, and sends all records also when nobody reads what it says", async () => {
    const { args, ids, path } = pipeFolder(0);
    writeFileSync(path("piped.jsonl"), linesFrom(0, 200));
    const callee = await startTestCallee();
    const [, , , ...outputs] = args;
    const shell = `mkfifo "${path("fifo")}"; cat "${path("piped.jsonl")}" > "${path("fifo")}" & "$@" 2>&1 | true; wait`;
    for (const _run of [1, 2]) {
      await dtInShell(shell, "pipe", "--input", path("fifo"), ...outputs, "--url", callee.url, "--rate", "100/s");
      rmSync(path("fifo"));
    }
    expect(ids()).toEqual(numbers(0, 200).flatMap((id) => [id, id]));
  });

  test("sends records with the same key one after the other, in their order", async () => {
    const { args, path } = pipeFolder(0);
    const keys = ["a", "b", "c"];
    writeFileSync(
      path("in.jsonl"),
      numbers(0, 60)
        .map((id) => `${JSON.stringify({ id, key: keys[id % 3] })}\n`)
        .join(""),
    );
    const atOnce = new Map<number, number>();
    let most = 0;
    const callee = await startTestCallee((response, id) => {
      atOnce.set(id % 3, (atOnce.get(id % 3) ?? 0) + 1);
      most = Math.max(most, atOnce.get(id % 3) ?? 0);
      setTimeout(
        () => {
          atOnce.set(id % 3, (atOnce.get(id % 3) ?? 0) - 1);
          response.end();
        },
        (id * 7) % 11,
      );
    });
    const { code } = await dt(...args, "--url", callee.url, "--key", "key");
    expect({ code, most }).toEqual({ code: 0, most: 1 });
    for (const rest of [0, 1, 2])
      expect(callee.ids.filter((id) => id % 3 === rest)).toEqual(numbers(0, 20).map((n) => 3 * n + rest));
  });

  test("tells how far it is, line by line where there is no terminal", async () => {
    const { args } = pipeFolder(120);
    const callee = await startTestCallee();
    const { stderr } = await dt(...args, "--url", callee.url, "--rate", "40/s", "--json");
    expect(stderr).toMatch(
      /^\d+\.\d % {2}\d+ records {2}\d+\.\d\/s {2}success \d+ {2}throttled 0 {2}errors 0 {2}\d+s left\n/,
    );
  });
});
