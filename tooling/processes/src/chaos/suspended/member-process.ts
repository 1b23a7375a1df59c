import type { ChildProcess } from "node:child_process";
import { runSource } from "../run-source.ts";

/** What a member's process is told. */
export interface MemberConfig {
  /** Redis's address. */
  readonly redis: string;
  /** Where its calls are counted: a port of this machine. */
  readonly calls: number;
  readonly name: string;
  readonly max: number;
  /** Nothing tells the process that it was suspended. */
  readonly untold: boolean;
}

/** Starts a process that makes as many calls as it may; resolves when it has joined the group. */
export function startMember(config: MemberConfig, environment: Record<string, string>): Promise<ChildProcess> {
  const child = runSource("suspended/member.ts", [JSON.stringify(config)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve(child));
    child.once("exit", () => reject(new Error(`${config.name} ended before it had joined`)));
  });
}
