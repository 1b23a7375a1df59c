import { spawn } from "node:child_process";
import { constants } from "node:os";
import { Problem, Stopped } from "./problem.mjs";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];
const passedOn = [...stopSignals, "SIGWINCH"];

/** One Ctrl-C arrives twice: from the terminal, and again from npm, which passes on what it receives. */
const sameKeyPressMs = 300;

/** How long the leftovers of a command get between SIGTERM and SIGKILL. */
const graceMs = 3_000;

/**
 * Runs a command to its end. It gets its own process group, so that it sees each signal exactly once (from here), and so
 * that whatever it leaves behind can be ended with it.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdio: import("node:child_process").StdioOptions }} options
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null, stopped: NodeJS.Signals | undefined }>}
 *   `stopped`: the stop signal that was passed on.
 */
export function run(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, detached: true });
    const lastPassedOn = new Map();
    let stopped;

    const passOn = (signal) => {
      const now = performance.now();
      if (now - (lastPassedOn.get(signal) ?? Number.NEGATIVE_INFINITY) < sameKeyPressMs) return;
      lastPassedOn.set(signal, now);
      if (stopSignals.includes(signal)) stopped ??= signal;
      child.kill(signal);
    };
    for (const signal of passedOn) process.on(signal, passOn);
    const stopListening = () => {
      for (const signal of passedOn) process.off(signal, passOn);
    };

    child.once("error", (error) => {
      stopListening();
      reject(error);
    });
    child.once("exit", async (code, signal) => {
      await endGroup(child.pid);
      stopListening();
      resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), signal, stopped });
    });
  });
}

/**
 * Runs a step of the bootstrap: without stdin, its output on stderr.
 *
 * @param {string} what names the step in the message when it fails
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
export async function runStep(what, file, args, options) {
  const { code, stopped } = await run(file, args, { ...options, stdio: ["ignore", 2, 2] });
  if (stopped !== undefined) throw new Stopped(stopped);
  if (code !== 0) throw new Problem(`${what} failed with exit code ${code}.`);
}

/** Ends what is left of a process group: SIGTERM, and SIGKILL for what ignores it. */
async function endGroup(groupId) {
  if (!signalGroup(groupId, "SIGTERM")) return;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    if (!signalGroup(groupId, 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  signalGroup(groupId, "SIGKILL");
}

function signalGroup(groupId, signal) {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch {
    return false;
  }
}
