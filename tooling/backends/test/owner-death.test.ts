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

interface Owner extends Disposable {
  readonly folder: string;
  readonly pids: number[];
  kill(): void;
}

async function startInChild(...args: string[]): Promise<Owner> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => void child.kill("SIGKILL");
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    return { ...JSON.parse(line), kill, [Symbol.dispose]: kill };
  } catch (error) {
    kill();
    throw error;
  }
}

describe.each([["redis"], ["postgres"], ["etcd"], ["dynamodb"], ["prometheus"], ["chromium"]])(
  "when the process that started %s is killed",
  { timeout: 60_000 },
  (kind) => {
    test.each(["running", "paused"])(
      "the server that was %s dies with all its children and its folder goes",
      async (state) => {
        using owner = await startInChild(kind, state);
        const { folder, pids } = owner;
        expect(isAlive(pids[0] as number)).toBe(true);
        owner.kill();
        await until("the watchdog has cleaned up", 10_000, () => !pids.some(isAlive) && !existsSync(folder));
        expectNothingLeft(pids, folder);
      },
    );
  },
);
