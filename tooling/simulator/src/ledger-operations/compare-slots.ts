import { isDtError, type MemberRef, type Registration, type Report, type SlotDemand, type View } from "@dt/core";
import { SLOT_INTERVAL_MS, SLOT_LOOK } from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";
import { isMember } from "../requests.ts";
import { Both, type TimedGroups } from "./both.ts";

export interface SlotComparison {
  readonly seed: number;
  readonly operations: number;
  /** About where the clock begins, in milliseconds. */
  readonly startMs: number;
  /** Stale ages of members. Default: of 4 to 10 s. */
  readonly staleAges?: readonly number[];
}

/** Everything that the comparisons of all seeds should have come to: what was never reached was never compared. */
export const SLOTS_REACHABLE = [
  ...["raised", "over", "wanted", "place", "turns", "learning", "fenced", "unknown"],
  ...["offer", "offer while others wait", "ask", "ask for turns"],
  // The turn of a costly caller (R34), in which its member stands before all others.
  "costly turn",
  // A pause of the fleet (R35).
  "paused",
] as const;

export type SlotsReached = (typeof SLOTS_REACHABLE)[number];

interface Member extends MemberRef {
  seq: number;
  view: View | undefined;
  running: number;
  /** What its callers wait for, mostly. */
  readonly usual: number;
}

/**
 * Runs the same random operations at the same times on a semaphore of a store and on the ledger of `@dt/core` (R28 to
 * R33). Compares every answer and every hint to the last digit, and after every other operation what the group holds.
 * @throws AssertionError with both answers
 */
export async function compareSlots(groups: TimedGroups, options: SlotComparison): Promise<ReadonlySet<SlotsReached>> {
  return new Comparison(groups, options).run();
}

class Comparison {
  readonly #options: SlotComparison;
  readonly #chance: VirtualRuntime;
  readonly #both: Both;
  readonly #losesData: boolean;
  readonly #reached = new Set<SlotsReached>();
  readonly #members: Member[] = [];
  /** More members than one operation looks at, in some groups. */
  readonly #most: number;
  readonly #max: number;
  readonly #learningMs: number;
  #clockMs: number;
  #incarnations = 0;

  constructor(groups: TimedGroups, options: SlotComparison) {
    this.#options = options;
    this.#chance = new VirtualRuntime({ seed: options.seed });
    this.#both = new Both(groups, `slots-${options.seed}`);
    this.#losesData = groups.loseData !== undefined;
    this.#most = this.#pick(3, 6, 12, SLOT_LOOK + 12);
    this.#max = this.#pick(1, 2, 5, this.#most - 1, 2 * this.#most, 120);
    this.#learningMs = this.#pick(0, 0, 0, 3_000);
    this.#clockMs = options.startMs + Math.floor(this.#chance.random() * 1e6) / 1_000;
  }

  async run(): Promise<ReadonlySet<SlotsReached>> {
    await this.#both.setDataSince(this.#clockMs - this.#pick(0, 2_000, 60_000));
    for (let i = 0; i < this.#options.operations; i++) {
      const what = `seed ${this.#options.seed}, operation ${i}`;
      this.#clockMs += this.#pick(0, 0, 0.25, 1, 5, 30, 100, 260);
      if (this.#chance.random() < 0.02) this.#clockMs += this.#pick(900, 2_501, 6_000, -5_000);
      if (this.#losesData && this.#chance.random() < 0.005) await this.#both.loseData();
      await this.#operation(what);
      for (const hint of await this.#both.slotHints(what)) {
        if (hint.kind === "offer") this.#reached.add(hint.wanted ? "offer while others wait" : "offer");
        else this.#reached.add(hint.give > 0 ? "ask" : "ask for turns");
      }
      if (this.#both.slotRows.some(({ sinceMs }) => sinceMs === 0)) this.#reached.add("costly turn");
      // A state that differs stays so: it is looked at after every other operation.
      if (i % 2 === 1) await this.#both.look(this.#clockMs, what);
    }
    return this.#reached;
  }

  #operation(what: string): Promise<void> {
    const action = this.#chance.random();
    const member = this.#pick(...this.#members);
    if (!member || (this.#members.length < this.#most && action < 0.3) || action < 0.01) return this.#join(what);
    if (action > 0.985) return this.#leave(member, what);
    return this.#report(member, what);
  }

  /** A new process, one that was restarted, or one that comes back and claims what runs. */
  #join(what: string): Promise<void> {
    const known = this.#chance.random() < 0.1 ? this.#pick(...this.#members) : undefined;
    const rejoin = known !== undefined && this.#chance.random() < 0.5;
    const incarnation = rejoin ? known.incarnation : `b${this.#incarnations++}`;
    const member: Member = rejoin
      ? known
      : {
          id: known?.id ?? incarnation,
          incarnation,
          seq: 0,
          view: undefined,
          running: 0,
          usual: this.#pick(0, 1, 4, 90),
        };
    if (!rejoin) this.#members.push(member);
    const registration: Registration = {
      ...{
        id: member.id,
        incarnation,
        seq: ++member.seq,
        rejoin,
        claim: rejoin ? member.running : this.#pick(0, 0, 0, 2),
      },
      ...{ max: this.#max, intervalMs: SLOT_INTERVAL_MS, learningMs: this.#learningMs, observedMs: 0 },
      staleAfterMs: this.#pick(...(this.#options.staleAges ?? [10_000, 10_000, 4_000])),
      ...{ level: null, resumeWithinMs: 0 },
      demand: { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0, tookOffer: false } },
    };
    return this.#note(member, this.#both.register(registration, this.#clockMs, what));
  }

  #report(member: Member, what: string): Promise<void> {
    const repeat = this.#chance.random() < 0.04;
    if (!repeat) member.seq += this.#pick(1, 1, 1, 2);
    const known = member.view && isMember(member.view) ? member.view : undefined;
    const held = known?.held ?? 0;
    // Mostly it gives up what it does not use.
    member.running = this.#pick(held, held, held, Math.floor(held / 2), Math.max(0, held - 1), 0);
    const waiting = this.#chance.random() < 0.8 ? member.usual : this.#pick(0, 0, 1, 3, 40);
    const slots: SlotDemand = {
      waiting,
      head: waiting === 0 ? 0 : this.#pick(1, 1, 1, 3, this.#max),
      tookOffer: this.#chance.random() < 0.6,
    };
    const lasting = this.#chance.random() < 0.9;
    const report: Report = {
      seq: repeat ? Math.max(1, member.seq - this.#pick(0, 1)) : member.seq,
      ...{ generation: known?.generation ?? 0, members: known?.members ?? 0, held: member.running },
      max: this.#chance.random() < 0.01 ? this.#pick(1, this.#max + 3) : this.#max,
      ...{ level: null, use: { epoch: 0, used: member.running }, activity: { used: 0, waiting } },
      demand: { want: lasting ? member.running + waiting : this.#pick(0, 2, 17, 50), syncMs: 1_000, slots },
      ...(member.seq % 9 === 0 && { pauseMs: (member.seq % 5) * 70.25 }),
    };
    return this.#note(member, this.#both.sync(member, report, this.#clockMs, what));
  }

  #leave(member: Member, what: string): Promise<void> {
    this.#members.splice(this.#members.indexOf(member), 1);
    const farewell = { seq: ++member.seq, level: null, use: { epoch: 0, used: 0 } };
    return this.#both.deregister(member, farewell, this.#clockMs, what);
  }

  /** Notes what the operation came to; a refusal is no failure. */
  async #note(member: Member, operation: Promise<View>): Promise<void> {
    const view = await operation.catch((error: unknown) => {
      if (!isDtError(error)) throw error;
    });
    if (!view) return;
    member.view = view;
    if (!isMember(view)) this.#reached.add(view.status as SlotsReached);
    else if (view.pausedForMs !== undefined) this.#reached.add("paused");
    if (!isMember(view) || !view.demand?.slots) return;
    const { over, wanted, place, turns } = view.demand.slots;
    const found = { over, wanted, place: place > 0, turns: turns > 0, learning: view.learning };
    for (const [name, holds] of Object.entries(found)) if (holds) this.#reached.add(name as SlotsReached);
    if (view.held > member.running) this.#reached.add("raised");
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#chance.random() * values.length)] as T;
  }
}
