import { appendFileSync, readdirSync } from "node:fs";
import { until } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { dt, startDt } from "../support/cli.ts";
import { linesFrom, numbers, pipeFolder, startTestCallee } from "../support/pipe.ts";

/** What may repeat after a crash: what ended since the last checkpoint, and what was under way. */
const WINDOW = 1_000 + 16;

describe("dt pipe, begun again,", () => {
  test("goes on where Ctrl-C ended it, and sends nothing twice", async () => {
    const { args, ids } = pipeFolder(400);
    const callee = await startTestCallee((response) => setTimeout(() => response.end(), 20));
    const command = [...args, "--url", callee.url, "--concurrency", "4"];
    const first = startDt(command);
    await until("a hundred were sent", 30_000, () => callee.ids.length >= 100);
    first.kill("SIGINT");
    const { code, stdout, stderr } = await first.finished;
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining("once more ends at once") });
    expect(stdout).toMatch(
      /Stopped before the end\. The same command goes on from here \(.*later\.jsonl\.checkpoint\)/,
    );
    expect(ids()).toHaveLength(callee.ids.length);
    expect(ids().length).toBeLessThan(400);
    const second = await dt(...command, "--json");
    expect(second.code).toBe(0);
    expect(ids()).toEqual(numbers(0, 400));
    expect([...callee.ids].sort((a, b) => a - b)).toEqual(numbers(0, 400));
    expect(JSON.parse(second.stdout)).toMatchObject({ end: "done", total: { success: 400 } });
  });

  test("after a crash loses nothing, and repeats no more than it says", async () => {
    const { args, ids } = pipeFolder(6_000);
    const callee = await startTestCallee();
    const command = [...args, "--url", callee.url];
    const first = startDt(command);
    await until("half of them were sent", 30_000, () => callee.ids.length >= 3_000);
    first.kill("SIGKILL");
    await first.finished;
    const sentBefore = callee.ids.length;
    const { code, stdout } = await dt(...command, "--json");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, total: { success: 6_000 } });
    expect([...new Set(ids())]).toEqual(numbers(0, 6_000));
    expect(ids().length - 6_000).toBeLessThanOrEqual(WINDOW);
    expect(callee.ids.length - 6_000).toBeLessThanOrEqual(WINDOW);
    // It went on, and did not begin anew.
    expect(callee.ids.length - sentBefore).toBeLessThanOrEqual(3_000 + WINDOW);
  });

  test("ends at once at the second Ctrl-C, and sends again what it did not wait for", async () => {
    const { args, ids } = pipeFolder(10);
    let hangs = true;
    const callee = await startTestCallee((response) => void (hangs || response.end()));
    const command = [...args, "--url", callee.url, "--concurrency", "2"];
    const first = startDt(command);
    await until("two calls hang", 30_000, () => callee.ids.length === 2);
    first.kill("SIGINT");
    await until("it says what a second one does", 10_000, () => first.stderr.includes("once more ends at once"));
    const again = setInterval(() => first.kill("SIGINT"), 100);
    onTestFinished(() => clearInterval(again));
    expect((await first.finished).code).toBe(130);
    expect(ids()).toEqual([]);
    hangs = false;
    expect((await dt(...command)).code).toBe(0);
    expect(ids()).toEqual(numbers(0, 10));
  });

  test("sends what was appended to the input, and nothing when nothing was", async () => {
    const { args, ids, path } = pipeFolder(10);
    const callee = await startTestCallee();
    const command = [...args, "--url", callee.url];
    expect((await dt(...command)).code).toBe(0);
    const { code, stdout } = await dt(...command);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("0 records in") });
    appendFileSync(path("in.jsonl"), linesFrom(10, 15));
    expect((await dt(...command)).code).toBe(0);
    expect(ids()).toEqual(numbers(0, 15));
    expect(callee.ids).toHaveLength(15);
  });

  test("refuses another input, and another part, with the same checkpoint", async () => {
    const { args, path, folder } = pipeFolder(10);
    const callee = await startTestCallee();
    await dt(...args, "--url", callee.url);
    const other = pipeFolder(5);
    const asked = ["--url", callee.url, "--checkpoint", path("later.jsonl.checkpoint")];
    const otherInput = await dt(...other.args, ...asked);
    expect(otherInput).toMatchObject({ code: 2, stderr: expect.stringContaining("of another input") });
    const otherPart = await dt(...args, ...asked, "--part", "1/2");
    expect(otherPart).toMatchObject({ code: 2, stderr: expect.stringContaining("of part 1/1") });
    expect(callee.ids).toHaveLength(10);
    expect(readdirSync(folder).filter((name) => name.includes("lock"))).toEqual([]);
  });

  test("is refused while another process writes the same files", async () => {
    const { args } = pipeFolder(10);
    const callee = await startTestCallee(() => undefined);
    const first = startDt([...args, "--url", callee.url]);
    onTestFinished(() => first.kill("SIGKILL"));
    await until("the first one sends", 30_000, () => callee.ids.length > 0);
    const { code, stderr } = await dt(...args, "--url", callee.url);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`process ${first.process.pid} writes to the same files`),
    });
  });
});
