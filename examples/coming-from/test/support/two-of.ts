import type { RedisServer } from "@dt-tooling/backends";
import { onTestFinished } from "vitest";
import { type Callee, startCallee } from "./callee.ts";
import { startTogether } from "./programs.ts";

/**
 * Runs a program as two processes to their end. Resolves to what their callee has seen of them.
 * @param program its file below `src`
 * @param redis the store that they share, unless they share a file
 * @param workMs how long the callee works on each call, in milliseconds
 */
export async function twoOf(program: string, redis?: RedisServer, workMs = 0): Promise<Callee> {
  const callee = await startCallee(workMs);
  onTestFinished(() => callee[Symbol.asyncDispose]());
  const processes = await startTogether(program, 2, { API_URL: callee.url, ...(redis && { REDIS_URL: redis.url }) });
  await Promise.all(processes.map((process) => process.finished()));
  return callee;
}
