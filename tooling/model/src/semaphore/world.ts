import type { SlotAsk, SlotOffer, View } from "@dt/core";
import type { GroupRow, MemberRow, SlotRow } from "@dt/core/ledger";
import type { SlotShareState } from "@dt/core/testing";
import type { Ledger } from "@dt-tooling/simulator/fleet";
import type { SemaphoreBounds } from "./bounds.ts";
import type { SlotFlaw } from "./flaw.ts";
import { newShare } from "./share.ts";

/** The rules that are checked in every state (docs/model.md). */
export type SlotRule = "in-flight" | "ledger" | "beyond-record";

export interface SlotViolation {
  readonly rule: SlotRule;
  readonly detail: string;
}

/**
 * Every rule that holds within these bounds: after a loss of data the store's record is not whole until all have
 * claimed.
 */
export function allSlotRules({ losses }: SemaphoreBounds): ReadonlySet<SlotRule> {
  return new Set<SlotRule>(losses > 0 ? ["in-flight", "ledger"] : ["in-flight", "ledger", "beyond-record"]);
}

/** What does not change during an exploration. */
export interface SlotSetting {
  readonly bounds: SemaphoreBounds;
  /** The store's operations: core's own, or with a fault in them. */
  readonly ledger: Ledger;
  /** The member's side is played with this fault. */
  readonly flaw: SlotFlaw | undefined;
  readonly rules: ReadonlySet<SlotRule>;
}

/** A request that a process has sent. */
export interface SlotRequest {
  readonly kind: "register" | "sync" | "farewell";
  readonly seq: number;
  /** What is reported or claimed. */
  readonly held: number;
  readonly inUse: number;
  readonly want: number;
  readonly waiting: number;
  /** True where it counted an offer since its last request. */
  readonly tookOffer: boolean;
  readonly generation: number;
  /** A registration of a process that was a member before. */
  readonly rejoin: boolean;
}

/** The call of a process to the store that is under way; at most one. */
export interface SlotCall {
  readonly request: SlotRequest;
  readonly sentTick: number;
  /** Present once the store has worked on it. */
  readonly answer: View | undefined;
}

/**
 * One process: a value. `idle`: not started. `outside`: not a member as far as it knows. `gone`: it has left or was
 * killed, but something of it is still there.
 */
export interface SlotProcess {
  readonly id: string;
  readonly stage: "idle" | "outside" | "member" | "fenced" | "gone";
  readonly seq: number;
  readonly generation: number;
  readonly joined: boolean;
  readonly share: SlotShareState;
  /** Calls that run although their signal has fired; the share counts them as in use. */
  readonly fired: number;
  readonly call: SlotCall | undefined;
  /** Requests that their sender does not wait for any more, or copies. */
  readonly late: readonly SlotRequest[];
  /** The newest hints to it that may still arrive, and older offers or copies. */
  readonly offer: SlotOffer | undefined;
  readonly ask: SlotAsk | undefined;
  readonly lateOffers: readonly SlotOffer[];
}

/** A state of the world. Its parts are values: a step replaces them. */
export class SlotWorld {
  tick = 0;
  slow = 0;
  leaves = 0;
  faults = 0;
  late = 0;
  losses = 0;
  restarts = 0;
  group: GroupRow | undefined;
  /** Row `i` is that of process `i`, whose incarnation is `String(i)`. */
  rows: (MemberRow | undefined)[] = [];
  slots: (SlotRow | undefined)[] = [];
  processes: SlotProcess[] = [];
  violation: SlotViolation | undefined;
  /** What happened in the last step, when it is to be told. */
  story: string[] | undefined;

  static first({ bounds }: SlotSetting): SlotWorld {
    const world = new SlotWorld();
    const { slow, leaves, faults, late, losses, restarts, members, max } = bounds;
    Object.assign(world, { slow, leaves, faults, late, losses, restarts });
    // A process that is started again is a process of its own, under the id of the first.
    const ids = [...Array(members).keys(), ...Array(restarts).fill(0)].map((id) => `p${id}`);
    world.processes = ids.map((id, index) => newProcess(id, max, index < members ? "outside" : "idle"));
    world.rows = ids.map(() => undefined);
    world.slots = ids.map(() => undefined);
    return world;
  }

  fork(): SlotWorld {
    const copy = Object.assign(new SlotWorld(), this);
    copy.rows = this.rows.slice();
    copy.slots = this.slots.slice();
    copy.processes = this.processes.slice();
    copy.violation = undefined;
    copy.story = this.story && [];
    return copy;
  }

  process(index: number): SlotProcess {
    return this.processes[index] as SlotProcess;
  }

  change(index: number, changes: Partial<SlotProcess>): void {
    this.processes[index] = { ...this.process(index), ...changes };
  }

  violate({ rules }: SlotSetting, rule: SlotRule, detail: string): void {
    if (rules.has(rule)) this.violation ??= { rule, detail };
  }

  tell(index: number, text: string): void {
    this.story?.push(`${String.fromCharCode(65 + index)} ${text}`);
  }
}

export function newProcess(id: string, max: number, stage: SlotProcess["stage"]): SlotProcess {
  return {
    ...{ id, stage, seq: 0, generation: 0, joined: false, share: newShare(max, true).state, fired: 0 },
    ...{ call: undefined, late: [], offer: undefined, ask: undefined, lateOffers: [] },
  };
}
