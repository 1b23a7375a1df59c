import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { until } from "@dt-tooling/backends";
import { startCallee } from "@dt-tooling/backends/callee";
import { describe, expect, test } from "vitest";
import type { CapacityReport } from "../../src/capacity/report.ts";
import { dt, startDt } from "../support/cli.ts";
import { run } from "../support/run.ts";
import { scratchFolder } from "../support/scratch.ts";

const QUICK = ["--from", "40", "--p50", "250ms", "--step", "1500ms", "--precision", "10", "--arrivals", "even"];

/** What the report names when calls could not be sent in time. */
const TOO_SLOW = "this machine is too slow";

describe("dt capacity", () => {
  test("finds the knee of a real server, and what is in flight there", async () => {
    await using callee = await startCallee({ workers: 4, serviceMs: 50, service: "fixed" });
    const folder = scratchFolder();
    const measure = () => dt("capacity", "--url", callee.url, ...QUICK, "--json", "--out", folder);
    // A machine that is held up meanwhile cannot send in time: then the command finds nothing, and names the machine.
    let { code, stdout, stderr } = await measure();
    for (let again = 0; again < 5 && code === 1 && stdout.includes(TOO_SLOW); again++)
      ({ code, stdout, stderr } = await measure());
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Trying 40.0 calls a second") });
    const report = JSON.parse(stdout) as CapacityReport;
    // 4 workers at 50 ms are 80 calls a second, and less on a busy machine; never more, whatever the machine does.
    expect(report.capacity?.perSecond).toBeGreaterThan(35);
    expect(report.capacity?.perSecond).toBeLessThan(84);
    expect(report.failsAt).toBeLessThan(140);
    expect(report.suggestion?.max).toBeLessThan(report.capacity?.perSecond ?? 0);
    for (const step of report.steps.filter(({ holds }) => holds))
      expect(step.inflight / step.littlesLaw).toBeCloseTo(1, 0);
    const { accepted } = await callee.stats();
    expect(accepted).toBeGreaterThan(100);
    expect(readFileSync(join(folder, "dt-capacity.svg"), "utf8")).toContain("calls a second");
  });

  test("interrupted, it prints what it knows", async () => {
    await using callee = await startCallee({ workers: 4, serviceMs: 5, service: "fixed" });
    const running = startDt(["capacity", "--url", callee.url, "--from", "20", "--step", "1s", "--p50", "1s"]);
    await until("the second rate is tried", 30_000, () => running.stderr.includes("Trying 30.0"));
    running.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect(code).toBe(130);
    expect(stdout).toMatch(/^calls\/s[\s\S]*\n20\.0[\s\S]*At least: .*it was interrupted/);
  });

  test("says so when every answer is an error, and does not blame this machine", async () => {
    const server = createServer((_, answer) => answer.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    // Calls are always sent later than by a quarter of such a time.
    const { code, stdout } = await dt("capacity", "--url", url, "--step", "200ms", "--p50", "0.01ms", "--from", "100");
    server.close();
    expect(code).toBe(1);
    expect(stdout).toContain("Not one call was answered well");
    expect(stdout).not.toContain("this machine");
  });

  test("says that nothing was answered when the service is not there", async () => {
    const { code, stdout } = await dt(
      "capacity",
      "--url",
      "http://127.0.0.1:9/",
      "--step",
      "200ms",
      "--p50",
      "1s",
      "--from",
      "100",
    );
    expect(code).toBe(1);
    expect(stdout).toContain("Not one call was answered well");
  });

  test("does not load a host that is not this machine, unless it is named again", async () => {
    const { code, stderr } = await run("capacity", "--url", "http://api.example.com/v1");
    expect(code).toBe(2);
    expect(stderr).toContain("--may-overload api.example.com");
  });

  test.each([
    [["--url", "ftp://127.0.0.1/"], "begins with http://"],
    [["--url", "http://localhost", "--p50", "1s", "--p99", "1s"], "give one of --p50, --p90 and --p99"],
    [["--url", "http://localhost", "--p99", "soon"], 'such as "250ms"'],
    [["--url", "http://localhost", "--from", "0"], "more than 0"],
    [["--url", "http://localhost", "--from", "20", "--to", "10"], "--from 20 is more than --to 10"],
    [["--url", "http://localhost", "--header", "no colon"], "a name, a colon and a value"],
    [["--url", "http://localhost", "--timeout", "50ms"], "shorter than what is asked for"],
    [["--url", "http://localhost", "--out", "/no/such/folder"], "there is no folder"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await run("capacity", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
