import { readdirSync } from "node:fs";
import { startEtcd, startPostgres, startRedis, until } from "@dt-tooling/backends";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, type Running, startDt } from "./support/cli.ts";
import { scratchFolder } from "./support/scratch.ts";

const WITHIN_MS = 30_000;

/** A demo that has served requests, with all that it puts into the folder for temporary files. */
async function demoUnderWay(
  args: string[] = [],
): Promise<{ demo: Running; processes: number[]; worker: number; temporary: string }> {
  const temporary = scratchFolder();
  const demo = startDt(["demo", "--no-svg", ...args], { TMPDIR: temporary });
  let processes: number[] = [];
  onTestFinished(() => {
    demo.kill("SIGKILL");
    for (const pid of processes.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  await until("the servers count calls", WITHIN_MS, () => /calls in the last second: [1-9]/.test(demo.stdout));
  await until("the shares are right", WITHIN_MS, () => demo.stdout.includes("are shared out after"));
  const children = demo.children();
  processes = children.map(({ pid }) => pid);
  // Two fleets, each with a server, four workers and the one that joins later.
  expect(processes).toHaveLength(12);
  // Not by its number: those begin again when the machine has had them all.
  const worker = children.find(({ command }) => command.endsWith(" worker"))?.pid as number;
  expect(readdirSync(temporary)).toHaveLength(1);
  return { demo, processes, worker, temporary };
}

async function expectNothingLeft(processes: readonly number[], temporary: string): Promise<void> {
  await until("all its processes have ended", 5_000, () => !processes.some(isAlive));
  expect(readdirSync(temporary)).toEqual([]);
}

/** The addresses of servers that last as long as the test. */
const address = {
  Redis: async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    return server.url;
  },
  PostgreSQL: async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    return server.url;
  },
  etcd: async () => {
    const server = await startEtcd();
    onTestFinished(() => server.stop());
    return (server.endpoints[0] as string).replace("http:", "etcd:");
  },
};

test.each([
  ["SIGINT", 130, "Redis"],
  ["SIGTERM", 143, "PostgreSQL"],
  ["SIGHUP", 129, "etcd"],
] as const)(
  "%s ends a demo, with exit code %i, whose processes share the limit through %s, and leaves no process and no file",
  async (signal, code, store) => {
    const { demo, processes, temporary } = await demoUnderWay(["--store", await address[store]()]);
    demo.kill(signal);
    const finished = await demo.finished;
    expect(finished).toMatchObject({ code, signal: null });
    expect(finished.stderr).toContain(`stopped by ${signal}`);
    await expectNothingLeft(processes, temporary);
  },
);

test("when the demo itself is killed, its processes end by themselves and remove its files", {
  timeout: 60_000,
}, async () => {
  const { demo, processes, temporary } = await demoUnderWay();
  demo.kill("SIGKILL");
  await demo.finished;
  await until("all its processes have ended", 10_000, () => !processes.some(isAlive));
  expect(readdirSync(temporary)).toEqual([]);
});

test("a worker that dies by itself ends the demo with exit code 1, and nothing is left", {
  timeout: 60_000,
}, async () => {
  const { demo, processes, worker, temporary } = await demoUnderWay();
  process.kill(worker, "SIGKILL");
  const { code, stderr } = await demo.finished;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: worker [1-5] was ended by SIGKILL/m);
  await expectNothingLeft(processes, temporary);
});
