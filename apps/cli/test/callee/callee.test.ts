import { request as httpRequest } from "node:http";
import { until } from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { describe, expect, onTestFinished, test } from "vitest";
import { Callee } from "../../src/callee/callee.ts";
import type { CalleeSettings } from "../../src/callee/settings.ts";
import { startDt } from "../support/cli.ts";
import { run } from "../support/run.ts";

const USUAL: CalleeSettings = {
  port: 0,
  rate: undefined,
  provider: undefined,
  capacity: 20,
  queue: 100,
  finishesAll: false,
  serverTiming: true,
  takesMs: 1,
  exponential: false,
  slow: undefined,
  fail: 0,
  hang: 0,
  phases: [],
  ids: undefined,
};

async function start(settings: Partial<CalleeSettings>): Promise<{ callee: Callee; url: string }> {
  const callee = new Callee({ ...USUAL, ...settings });
  onTestFinished(() => callee.close());
  return { callee, url: await callee.listen() };
}

/** Statuses of calls that are made at once. */
async function statuses(url: string, count: number, headers: Record<string, string> = {}): Promise<number[]> {
  const calls = Array.from({ length: count }, async () => {
    const response = await fetch(url, { method: "POST", body: "{}", headers });
    await response.text();
    return response.status;
  });
  return (await Promise.all(calls)).sort();
}

/** What a timer of Node cannot hold ends at once. */
describe("times that no timer holds", () => {
  test.each(["3600001", "1e12", "1000000000000", "Infinity", "-1", "", "1h", "1&ms=2", "%00"].map((ms) => [ms]))(
    "are refused over the wire, and change nothing: %s",
    async (ms) => {
      const { callee, url } = await start({ takesMs: 150 });
      const answer = await fetch(`${url}takes?ms=${ms}`, { method: "POST" });
      const expected = ms === "1&ms=2" ? 200 : 400;
      expect(answer.status).toBe(expected);
      const text = await answer.text();
      if (expected === 400) expect(text).toContain("give milliseconds from 0 to 3600000");
      expect(callee.stats().received).toBe(0);
      const begunMs = performance.now();
      await (await fetch(url)).text();
      if (expected === 400) expect(performance.now() - begunMs).toBeGreaterThan(140);
    },
  );

  test("are refused on the command line, with the bound", async () => {
    for (const [args, message] of [
      [["callee", "--takes", "1000000000000ms"], "Give a time of at most 1h."],
      [["callee", "--takes", "61m"], "Give a time of at most 1h."],
      [["callee", "--slow", "5%:2h"], "Give a time of at most 1h."],
      [["callee", "--phases", "slow=25d:1s"], "Give a time of at most 1h."],
      [["callee", "--phases", "ok:300d"], "Give a time of at most 2d."],
      [["capacity", "--url", "http://127.0.0.1:1/", "--p99", "1000000000000ms"], "Give a time of at most 2d."],
      [["capacity", "--url", "http://127.0.0.1:1/", "--timeout", "25d"], "Give a time of at most 2d."],
      [["pipe", "--url", "http://127.0.0.1:1/", "--timeout", "25d"], "Give a time of at most 2d."],
      [["pipe", "--url", "http://127.0.0.1:1/", "--store-patience", "25d"], "Give a time of at most 2d."],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect(stderr).toContain(message);
      expect(code).toBe(2);
    }
  });
});

describe("dt callee", () => {
  test("accepts so many in a window, refuses the others and says when to come again", async () => {
    const { callee, url } = await start({ rate: { count: 3, intervalMs: 60_000 } });
    expect(await statuses(url, 5)).toEqual([200, 200, 200, 429, 429]);
    const { headers } = await fetch(url);
    expect([headers.get("retry-after"), headers.get("ratelimit")]).toEqual(["60", '"rate";r=0;t=60']);
    await until("the books are written", 5_000, () => callee.stats().refused === 3);
    expect(callee.stats()).toMatchObject({ received: 6, accepted: 3, refused: 3, shed: 0, gone: 0 });
  });

  test("works on so many at once, tells the others how long they waited, and sheds what its queue cannot hold", async () => {
    const { callee, url } = await start({ capacity: 2, queue: 2, takesMs: 500 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 503, 503]);
    const waits = answers.flatMap(({ headers }) => headers.get("server-timing")?.match(/queue;dur=(.+)/)?.[1] ?? []);
    expect(waits.filter((wait) => Number(wait) > 250)).toHaveLength(2);
    expect(callee.stats()).toMatchObject({ received: 6, accepted: 4, shed: 2, longestQueue: 2 });
  });

  test("throttles, fails and cuts connections in turn, and hangs until the client leaves", async () => {
    for (const [fate, outcome, count] of [
      ["throttle", 429, "refused"],
      ["fail", 500, "failed"],
      ["cut", "cut", "cut"],
      ["hang", "left", "hung"],
    ] as const) {
      const { callee, url } = await start({ phases: [{ fate, lastsMs: 60_000, takesMs: undefined }] });
      const leaving = new AbortController();
      const answer = fetch(url, { signal: leaving.signal }).then(
        (response) =>
          response.text().then(
            () => response.status,
            () => "cut",
          ),
        () => "left",
      );
      if (fate === "hang") {
        await until("it has come", 5_000, () => callee.stats().received === 1);
        leaving.abort();
      }
      expect(await answer).toBe(outcome);
      await until("the books are written", 5_000, () => callee.stats()[count] === 1);
    }
  });

  test("goes from phase to phase, and begins again", async () => {
    const phase = (fate: "ok" | "fail") => ({ fate, lastsMs: 100, takesMs: undefined });
    const { url } = await start({ phases: [phase("ok"), phase("fail")] });
    const seen: number[] = [];
    await until("ok, failed, ok, failed", 20_000, async () => {
      const status = (await fetch(url)).status;
      if (seen.at(-1) !== status) seen.push(status);
      return seen.length >= 4;
    });
    expect(seen.join(" ")).toMatch(/200 500 200|500 200 500/);
  });

  test("begins its phases with the first request, however late that comes", async () => {
    const phase = (fate: "ok" | "fail", lastsMs: number) => ({ fate, lastsMs, takesMs: undefined });
    const { url } = await start({ phases: [phase("fail", 100), phase("ok", 60_000)] });
    const startedMs = performance.now();
    await until("the first phase would be over", 5_000, () => performance.now() - startedMs > 200);
    expect((await fetch(url)).status).toBe(500);
    await until("the second has begun", 5_000, async () => (await fetch(url)).status === 200);
  });

  test("a client that leaves while it waits gives its place up", async () => {
    const { callee, url } = await start({ capacity: 1, takesMs: 200 });
    const first = fetch(url);
    await until("it has come", 5_000, () => callee.stats().received === 1);
    const leaving = httpRequest(url).on("error", () => {});
    leaving.end();
    await until("it waits", 5_000, () => callee.stats().longestQueue === 1);
    leaving.destroy();
    await until("it is gone", 5_000, () => callee.stats().gone === 1);
    // Whoever comes now is worked on next.
    expect([(await first).status, (await fetch(url)).status]).toEqual([200, 200]);
    expect(callee.stats()).toMatchObject({ received: 3, accepted: 2, gone: 1 });
  });

  test("told to, it works on all that came, whoever has left", async () => {
    const { callee, url } = await start({ capacity: 1, takesMs: 100, finishesAll: true });
    const leaving = httpRequest(url).on("error", () => {});
    leaving.end();
    await until("it has come", 5_000, () => callee.stats().received === 1);
    leaving.destroy();
    expect((await fetch(url)).status).toBe(200);
    expect(callee.stats()).toMatchObject({ received: 2, accepted: 2, gone: 0 });
  });

  test("counts the records that it accepted, and those that came again", async () => {
    const { url } = await start({ ids: "x-record" });
    for (const id of ["a", "b", "a"]) await statuses(url, 1, { "X-Record": id });
    const stats = await (await fetch(`${url}stats`)).json();
    expect(stats).toMatchObject({ received: 3, accepted: 3, distinct: 2, repeated: 1 });
  });

  test("takes longer when it is told to, and answers odd addresses as calls", async () => {
    const { callee, url } = await start({ takesMs: 1 });
    expect(await (await fetch(`${url}takes?ms=300`, { method: "POST" })).json()).toEqual({ takesMs: 300 });
    const begun = performance.now();
    expect((await fetch(`${url}/a//b?%%`)).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(290);
    expect(callee.stats().received).toBe(1);
  });

  test("as a program, it says where it listens, tells every second, and ends with its books", async () => {
    const running = startDt(["callee", "--rate", "2/min", "--fail", "0%", "--slow", "100%:5ms", "--json"]);
    await until("it listens", 30_000, () => running.stdout.includes("\n"));
    const { url } = JSON.parse(running.stdout) as { url: string };
    expect(await statuses(url, 3)).toEqual([200, 200, 429]);
    const hanging = fetch(url);
    expect((await hanging).status).toBe(429);
    running.kill("SIGTERM");
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ received: 4, accepted: 2, refused: 2 });
  });

  test("attached, it ends with the program that holds its input", async () => {
    const child = new SourceProcess(new URL("../../src/main.ts", import.meta.url), ["callee", "--attached"]);
    const url = await child.said("Listening on");
    expect((await fetch(url)).status).toBe(200);
    child.endInput();
    await child.finished();
  });

  test.each([
    [["--rate", "1.5/s"], "Give a whole number of requests and a time"],
    [["--rate", "600/fortnight"], "give a count and a time such as"],
    [["--slow", "5%"], 'such as "5%:2s"'],
    [["--fail", "101%"], 'Give a percentage such as "5%"'],
    [["--phases", "ok:10s,sleep:2s"], '"sleep:2s" is no phase; give ok, throttle, fail, slow, hang, cut'],
    [["--phases", "ok:0s"], '"ok:0s" lasts no time'],
    [["--takes", "soon"], 'give milliseconds (a number >= 0) or a string such as "250ms"'],
    [["--port", "70000"], "Give a whole number from 0 to 65535"],
    [["--tokens", "1.5/s"], "Give a whole number of requests and a time"],
    [["--tokens", "9/367d"], "with --tokens give windows of at most 366 days"],
    [["--tokens", "9/min", "--rate", "9/367d"], "with --tokens give windows of at most 366 days"],
    [["--stream"], "--stream needs --tokens, such as --tokens 60000/min"],
    [["--token-takes", "1ms"], "--token-takes needs --tokens and --stream"],
    [["--tokens", "9/min", "--token-takes", "2h"], "Give a time of at most 1h."],
    [["--seed", "-1"], "Give a whole number from 0 to 4294967295"],
  ])("refuses %j with exit code 2 and says why", async (args, message) => {
    const { code, stderr } = await run("callee", ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test("says so when its port is taken", async () => {
    const { url } = await start({});
    const { code, stderr } = await run("callee", "--port", new URL(url).port);
    expect(stderr).toContain("cannot listen: listen EADDRINUSE");
    expect(code).toBe(1);
  });
});
