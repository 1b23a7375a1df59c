import type { MemberView, View } from "../contract/coordination-store.ts";
import type { DemandView, SlotView } from "../contract/demand.ts";
import { DtError } from "../errors/dt-error.ts";
import { packageName } from "../errors/scope.ts";
import { LONGEST_PAUSE_MS } from "../internal/pause.ts";

/**
 * Refuses an answer that the contract does not allow, before anything is done with it: a store is somebody else's code.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkView(store: string, view: View): View {
  const fault = faultOf(view);
  if (fault !== undefined)
    throw new DtError(
      "DT_STORE_REPLY",
      `the ${store} store answered ${fault}; check the adapter with ${packageName("conformance")}`,
      {
        effect: "unknown",
      },
    );
  return view;
}

/** True for the answer to a member, as against `unknown` and `fenced`. */
export function isMember(view: View): view is MemberView {
  return view.status === "agree" || view.status === "disagree";
}

function faultOf(view: View): string | undefined {
  if (typeof view !== "object" || view === null) return `${String(view)} instead of a View`;
  if (!isTime(view.storeTimeMs)) return `storeTimeMs ${String(view.storeTimeMs)}, which is not a time`;
  switch (view.status) {
    case "unknown":
    case "fenced":
      return undefined;
    case "agree":
    case "disagree": {
      const { generation, members, rank, held, entitled, fromEpoch, early, capacity } = view;
      const counts = { generation, members, rank, held, entitled, fromEpoch, early, capacity };
      for (const [name, value] of Object.entries(counts))
        if (!Number.isSafeInteger(value) || value < 0)
          return `${name} ${String(value)}, which is not a whole number >= 0`;
      for (const name of ["clockErrorMs", "groupAgeMs"] as const)
        if (!isTime(view[name])) return `${name} ${String(view[name])}, which is not a time`;
      if (typeof view.learning !== "boolean")
        return `learning ${String(view.learning)}, which is neither true nor false`;
      if (view.resumeLevel !== null && !isTime(view.resumeLevel))
        return `resumeLevel ${String(view.resumeLevel)}, which is neither null nor a number >= 0`;
      if (!isPause(view.pausedForMs))
        return `pausedForMs ${String(view.pausedForMs)}, which is no pause of a day at most`;
      if (generation === 0 || capacity === 0) return "an empty generation or capacity to a member";
      if (rank >= members) return `rank ${rank} among ${members}`;
      if (entitled > held || entitled > capacity)
        return `entitled ${entitled} to a member that holds ${held} of a capacity of ${capacity}`;
      if (early > entitled) return `early ${early} to a member that is entitled to ${entitled}`;
      return view.demand && faultOfDemand(view.demand);
    }
    default:
      return `an unknown status ${String((view as { status: unknown }).status)}`;
  }
}

function faultOfDemand(demand: DemandView): string | undefined {
  if (typeof demand !== "object" || demand === null) return `demand ${String(demand)}, which is no object`;
  for (const name of ["waterLevel", "reserve", "extra"] as const)
    if (!Number.isSafeInteger(demand[name]) || demand[name] < 0)
      return `demand.${name} ${String(demand[name])}, which is not a whole number >= 0`;
  for (const name of ["odd", "tight", "hungry"] as const)
    if (typeof demand[name] !== "boolean")
      return `demand.${name} ${String(demand[name])}, which is neither true nor false`;
  return demand.slots && faultOfSlots(demand.slots);
}

function faultOfSlots(slots: SlotView): string | undefined {
  if (typeof slots !== "object" || slots === null) return `demand.slots ${String(slots)}, which is no object`;
  for (const name of ["place", "turns"] as const)
    if (!Number.isSafeInteger(slots[name]) || slots[name] < 0)
      return `demand.slots.${name} ${String(slots[name])}, which is not a whole number >= 0`;
  for (const name of ["over", "wanted"] as const)
    if (typeof slots[name] !== "boolean")
      return `demand.slots.${name} ${String(slots[name])}, which is neither true nor false`;
  return undefined;
}

/** A store that is wrong must not stop a fleet for weeks. */
function isPause(value: unknown): boolean {
  return value === undefined || (isTime(value) && (value as number) <= LONGEST_PAUSE_MS);
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
