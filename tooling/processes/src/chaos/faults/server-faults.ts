import type { RunningServer } from "@dt-tooling/backends";
import type { FaultKind, PlannedFault } from "../schedule/plan-faults.ts";
import type { Fault } from "./fault.ts";

const OUTAGE = { on: "server", shortestMs: 200, longestMs: 4_000 } as const satisfies Partial<FaultKind>;

/** Which server a fault is for. */
type Choose = (plan: PlannedFault) => RunningServer | Promise<RunningServer>;

/** SIGSTOP and SIGCONT. */
export function serverPause(choose: Choose, kind = "server-pause"): Fault {
  return {
    kind,
    ...OUTAGE,
    inject: async (plan) => {
      const server = await choose(plan);
      await server.pause();
      return () => server.resume();
    },
  };
}

/** SIGKILL, and a restart with everything that was acknowledged. */
export function serverKill(choose: Choose, kind = "server-kill"): Fault {
  return {
    kind,
    ...OUTAGE,
    essential: true,
    inject: async (plan) => {
      const server = await choose(plan);
      await server.kill();
      return () => server.restart({ keepData: true });
    },
  };
}

/** SIGKILL, and a restart with nothing at all. */
export function serverWipe(choose: Choose): Fault {
  return {
    kind: "server-wipe",
    ...OUTAGE,
    inject: async (plan) => {
      const server = await choose(plan);
      await server.kill();
      return () => server.restart({ keepData: false });
    },
  };
}

/** Picks one of several by the fault's own chance. */
export function oneOf<T>(items: readonly T[], { choice }: PlannedFault): T {
  return items[Math.floor(choice * items.length)] as T;
}
