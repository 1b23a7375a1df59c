import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Fault } from "../faults/fault.ts";
import { runSource } from "../run-source.ts";
import type { Target } from "./target.ts";

/**
 * A file on this machine's disk. There is no server to stop: instead somebody keeps the write lock, and dies in the
 * middle of a transaction.
 */
export async function sqliteTarget(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), "dt-chaos-sqlite-"));
  const path = join(folder, "throttle.db");
  const lock: Fault = {
    ...{ kind: "store-lock", on: "server", shortestMs: 200, longestMs: 4_000, essential: true },
    inject: async () => {
      const holder = runSource("targets/hold-lock.ts", [path], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(holder, "exit");
      await Promise.race([once(holder.stdout as Readable, "data"), ended]);
      return async () => {
        holder.kill("SIGKILL");
        await ended;
      };
    },
  };
  return {
    servers: [],
    address: () => ({ kind: "sqlite", path }),
    faults: [lock],
    losesWrites: false,
    wallClockIsStores: true,
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
