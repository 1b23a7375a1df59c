import type { LinkFault } from "@dt-tooling/backends";
import type { Fleet } from "../fleet/fleet.ts";
import type { FaultKind, PlannedFault } from "../schedule/plan-faults.ts";
import type { Direction } from "../space/network-space.ts";
import type { Fault } from "./fault.ts";

const OUTAGE = { on: "link", shortestMs: 300, longestMs: 5_000 } as const satisfies Partial<FaultKind>;

const MENDED_LATER: readonly { readonly kind: string; fault(plan: PlannedFault): LinkFault }[] = [
  // From a slow network to one that is too slow for every deadline.
  { kind: "link-delay", fault: ({ choice }) => ({ type: "delay", delayMs: 10 + choice * 400 }) },
  { kind: "link-stall", fault: () => ({ type: "stall" }) },
  { kind: "link-drop", fault: () => ({ type: "drop-requests" }) },
  { kind: "link-swallow", fault: () => ({ type: "swallow-replies" }) },
  { kind: "link-half-open", fault: () => ({ type: "half-open" }) },
];

const DIRECTIONS: readonly Direction[] = ["both", "in", "out"];

/**
 * Faults of the network between one worker and all servers: by the proxy, and by iptables for the worker that has a
 * namespace of its own.
 */
export function linkFaults(fleet: Fleet): Fault[] {
  const isolated = fleet.slots.find((slot) => slot.space);
  return [
    ...MENDED_LATER.map(
      ({ kind, fault }): Fault => ({
        kind,
        ...OUTAGE,
        inject: async (plan) => {
          const { link } = fleet.slot(plan.worker);
          link.apply(fault(plan));
          return async () => link.apply(undefined);
        },
      }),
    ),
    {
      ...{ kind: "link-reset", on: "link", shortestMs: 0, longestMs: 0 },
      inject: async ({ worker }) => {
        fleet.slot(worker).link.reset();
        return async () => {};
      },
    },
    ...(isolated?.space
      ? [
          {
            ...{ kind: "iptables-drop", ...OUTAGE, worker: isolated.number },
            inject: async ({ choice }: PlannedFault) => {
              await isolated.space?.partition(DIRECTIONS[Math.floor(choice * DIRECTIONS.length)] as Direction);
              return async () => isolated.space?.mend();
            },
          },
        ]
      : []),
  ];
}
