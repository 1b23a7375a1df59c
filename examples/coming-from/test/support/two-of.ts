import type { RedisServer } from "@dt-tooling/backends";
import { onTestFinished } from "vitest";
import { type Callee, startCallee } from "./callee.ts";
import { startTogether } from "./programs.ts";

/** How often a machine may be too busy for the store's deadline of a second. */
const MOST_STARVED = 4;

/**
 * Runs a program as two processes to their end. Resolves to what their callee has seen of them.
 * @param program its file below `src`
 * @param redis the store that they share, unless they share a file
 * @param workMs how long the callee works on each call, in milliseconds
 */
export async function twoOf(program: string, redis?: RedisServer, workMs = 0): Promise<Callee> {
  for (let starved = 0; ; starved++) {
    const callee = await startCallee(workMs);
    onTestFinished(() => callee[Symbol.asyncDispose]());
    const processes = await startTogether(program, 2, { API_URL: callee.url, ...(redis && { REDIS_URL: redis.url }) });
    try {
      await Promise.all(processes.map((process) => process.finished()));
      return callee;
    } catch (error) {
      // A program of a page has no retries: it ends where a starved process does not reach its store within a second.
      if (starved === MOST_STARVED || !(error as Error).message.includes("DT_STORE_TIMEOUT")) throw error;
      await Promise.all(processes.map((process) => process.kill()));
    }
  }
}
