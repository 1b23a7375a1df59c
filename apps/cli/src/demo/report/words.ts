import type { Convergence } from "../measure/convergence.ts";

/** A change and what came of it, in words. */
export function describeChange({ kind, worker, tookMs }: Convergence): string {
  const what = {
    start: "the workers start",
    join: `worker ${worker} joins`,
    kill: `worker ${worker} is killed (SIGKILL)`,
    leave: `worker ${worker} leaves`,
  }[kind];
  return tookMs === undefined ? what : `${what}: shares right after ${Math.round(tookMs)} ms`;
}
