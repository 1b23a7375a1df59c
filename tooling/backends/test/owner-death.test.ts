import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isAlive } from "../src/process-tree.ts";
import { until } from "../src/until.ts";
import { expectNothingLeft } from "./leftovers.ts";

const script = fileURLToPath(new URL("./fixtures/start-and-wait.ts", import.meta.url));

async function startInChild(...args: string[]): Promise<{ owner: number; folder: string; pids: number[] }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { owner: child.pid as number, ...JSON.parse(line) };
}

describe.each([["redis"]])("when the process that started %s is killed", { timeout: 60_000 }, (kind) => {
  test.each(["running", "paused"])("the server that was %s dies and its folder goes", async (state) => {
    const { owner, folder, pids } = await startInChild(kind, state);
    expect(pids.every(isAlive)).toBe(true);
    process.kill(owner, "SIGKILL");
    await until("the watchdog has cleaned up", 10_000, () => !pids.some(isAlive) && !existsSync(folder));
    expectNothingLeft(pids, folder);
  });
});
