/** How a store is reached from the processes of the fleet. */
export interface StepStore {
  readonly kind: "redis" | "postgres";
  readonly url: string;
}

/** What others do while one begins to ask. */
export type Others = "idle" | "saturated";

/** A fleet of which one member, idle until then, begins to ask again and again. */
export interface StepPlan {
  readonly members: number;
  /** Such fleets at the same time on each store, each a group of its own. */
  readonly fleets: number;
  /** Tokens a second that all share, by demand. */
  readonly max: number;
  /** What the one asks for a second while it asks, evenly spaced. */
  readonly asks: number;
  /** How long it is idle before each step, and how long it asks then. */
  readonly idleMs: number;
  readonly askMs: number;
  /** Of each fleet. */
  readonly steps: number;
}

/** What a member is told. */
export interface MemberSettings {
  readonly group: string;
  readonly store: StepStore;
  readonly plan: StepPlan;
  readonly role: "steps" | Others;
}

/** After one step, in milliseconds from its first request; null where it did not come about while it asked. */
export interface Step {
  readonly firstTokenMs: number | null;
  /** Until the last second had brought nine tenths of its fair part. */
  readonly fairPartMs: number | null;
}

/** The max-min part of the one that asks. */
export function fairPart({ members, max, asks }: StepPlan, others: Others): number {
  return others === "idle" ? Math.min(asks, max) : max / members;
}
