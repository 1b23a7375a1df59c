import type { Use, View } from "@dt/core";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
import type { Ledger } from "@dt-tooling/simulator/fleet";
import type { Bounds } from "../bounds.ts";
import { Holding } from "../holding.ts";
import type { Flaw } from "../traps/flaw.ts";
import { FIRST_TICK } from "./time.ts";

/** The rules that are checked in every state (docs/model.md). */
export type Rule = "epoch-sum" | "token-owner" | "epoch-back" | "ledger" | "beyond-record";

export interface Violation {
  readonly rule: Rule;
  readonly detail: string;
}

/**
 * Every rule that holds within these bounds: after a loss of data the store's record is not whole until all have
 * claimed.
 */
export function allRules(bounds: Bounds): ReadonlySet<Rule> {
  const rules: Rule[] = ["epoch-sum", "token-owner", "epoch-back", "ledger"];
  return new Set(bounds.losses > 0 ? rules : [...rules, "beyond-record"]);
}

/** What does not change during an exploration. */
export interface Setting {
  readonly bounds: Bounds;
  /** The store's operations: core's own, or with a fault in them. */
  readonly ledger: Ledger;
  /** The member's side is played with this fault. */
  readonly flaw: Flaw | undefined;
  readonly rules: ReadonlySet<Rule>;
}

/** A request that a process has sent. */
export interface Request {
  readonly kind: "register" | "sync" | "farewell";
  readonly seq: number;
  /** What is reported or claimed. */
  readonly held: number;
  readonly generation: number;
  readonly max: number;
  /** A registration of a process that was a member before. */
  readonly rejoin: boolean;
  /** What a sync or a farewell says of the newest epoch begun (R20). */
  readonly use: Use | undefined;
  /** Tokens that it could use per epoch; null of one that shares evenly (R21). */
  readonly want: number | null;
}

/** The call of a process to the store that is under way; at most one. */
export interface Call {
  readonly request: Request;
  readonly sentTick: number;
  /** Present once the store has worked on it. */
  readonly answer: View | undefined;
}

/** One process. `outside`: not a member as far as it knows. `gone`: it has left, but something of it is still there. */
export interface Process {
  stage: "outside" | "member" | "gone";
  readonly byDemand: boolean;
  seq: number;
  max: number;
  /** The tick in which the last successful call was sent. */
  renewedTick: number;
  holding: Holding;
  /** The epoch it counts in, and the tokens granted in it that count against its share. */
  epoch: number;
  charged: number;
  call: Call | undefined;
  /** Requests that its sender has given up, or copies: the store may work on them at any time, or never. */
  late: readonly Request[];
}

/** What was granted under one epoch number, by everybody. */
export interface EpochAccount {
  readonly granted: number;
  /**
   * The generation whose exact split was used, 0 for none. In one generation no two members have one rank, and no token
   * has two owners.
   */
  readonly split: number;
  /** The largest capacity that a process which granted was last answered: the `max` in force. */
  readonly limit: number;
}

export const EMPTY_ACCOUNT: EpochAccount = { granted: 0, split: 0, limit: 0 };
/** The number that the group's generation has in the normal form of a state. */
export const PRESENT = 3;
export const NEVER = Number.NEGATIVE_INFINITY;

/**
 * A state of the world: the store's rows, the processes, the messages under way and the accounts of the epochs that are
 * still open.
 */
export class World {
  tick = FIRST_TICK;
  faults: number;
  late: number;
  losses: number;
  resizes: number;
  /** The tick in which the store lost its data. */
  lostTick = NEVER;
  group: GroupRow | undefined;
  /** Row `i` is that of process `i`, whose id and incarnation are `String(i)`. Rows are values and never changed. */
  rows: (MemberRow | undefined)[];
  processes: Process[];
  /** Of the epoch before the newest, and of the newest. */
  accounts: [EpochAccount, EpochAccount] = [EMPTY_ACCOUNT, EMPTY_ACCOUNT];
  violation: Violation | undefined;
  /** What happened in the last step, when somebody wants to know; with the processes' names. */
  story: string[] | undefined;
  names: readonly string[];

  constructor(setting: Setting) {
    const { bounds } = setting;
    this.faults = bounds.faults;
    this.late = bounds.late;
    this.losses = bounds.losses;
    this.resizes = bounds.resizes;
    const slots = Array.from({ length: bounds.members }, (_, slot) => slot);
    this.rows = slots.map(() => undefined);
    this.names = slots.map((slot) => String.fromCharCode(65 + slot));
    this.processes = slots.map((slot) => newProcess(bounds.max, slot < bounds.demand));
  }

  /** A copy whose own parts may be changed, except for processes: see {@link own}. */
  fork(): World {
    const copy = Object.create(World.prototype) as World;
    copy.tick = this.tick;
    copy.faults = this.faults;
    copy.late = this.late;
    copy.losses = this.losses;
    copy.resizes = this.resizes;
    copy.lostTick = this.lostTick;
    copy.group = this.group;
    copy.rows = this.rows.slice();
    copy.processes = this.processes.slice();
    copy.accounts = [this.accounts[0], this.accounts[1]];
    copy.violation = undefined;
    copy.story = this.story && [];
    copy.names = this.names;
    return copy;
  }

  /** Process `slot`, as a copy that only this world has. */
  own(slot: number): Process {
    const before = this.processes[slot] as Process;
    const copy = { ...before, holding: copyHolding(before.holding) };
    this.processes[slot] = copy;
    return copy;
  }

  process(slot: number): Process {
    return this.processes[slot] as Process;
  }

  violate(setting: Setting, rule: Rule, detail: string): void {
    if (setting.rules.has(rule)) this.violation ??= { rule, detail };
  }

  tell(slot: number, text: string): void {
    this.story?.push(`${this.names[slot]} ${text}`);
  }
}

export function newProcess(max: number, byDemand = false): Process {
  return {
    stage: "outside",
    byDemand,
    seq: 0,
    max,
    renewedTick: NEVER,
    holding: new Holding(),
    epoch: NEVER,
    charged: 0,
    call: undefined,
    late: [],
  };
}

function copyHolding(from: Holding): Holding {
  const copy = new Holding();
  copy.restore(from.state);
  return copy;
}
