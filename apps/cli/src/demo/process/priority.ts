import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const RAISED = -10;

/**
 * Raises this process's priority, where the system allows it (to the superuser). The demo's processes stand for
 * machines of their own: on one machine they should wait as little as possible for whatever else it does. True when it
 * worked.
 */
export function raisePriority(): boolean {
  try {
    setPriority(RAISED);
  } catch {
    return false;
  }
  try {
    // Linux may group processes by session and weigh the groups first (sched(7), "The autogroup feature"); this process
    // leads its own.
    writeFileSync("/proc/self/autogroup", String(RAISED));
  } catch {
    // No such grouping here.
  }
  return true;
}
