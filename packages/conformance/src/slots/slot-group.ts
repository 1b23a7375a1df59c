import type { GroupSnapshot, MemberView, SlotView } from "@dt/core";
import { SLOT_INTERVAL_MS } from "@dt/core/ledger";
import type { CaseGroup } from "../case-group.ts";
import type { CaseContext } from "../context.ts";
import type { Fail, MemberOptions } from "../member.ts";
import { SlotHints } from "./slot-hints.ts";
import { SlotMember, type SlotScene } from "./slot-member.ts";

/** A member that was silent for longer than this is in the queue no more. */
export const QUEUE_MS = 2_500;
/** After so long an offer is hinted again, and a member is asked again. */
export const AGAIN_MS = 250;

/** Of what members of a semaphore are, beside the options of every member. */
export interface SlotOptions extends MemberOptions {
  /** Calls that run or wait for a slot. Default 0 */
  readonly callers?: number;
}

/**
 * A semaphore whose members do as the contract says. Time passes in its group because its members say so (R2), a little
 * with each request: no case waits for time, and no two members come at one time.
 */
export class SlotGroup implements SlotScene {
  readonly context: CaseContext;
  readonly group: CaseGroup;
  readonly options: MemberOptions;
  /** How much time passes with each request, at least. */
  readonly stepMs: number;
  /** The group's time, as far as its members know it. */
  timeMs = 0;

  constructor(context: CaseContext, group: CaseGroup, options: MemberOptions, stepMs = 1) {
    this.context = context;
    this.group = group;
    this.options = { intervalMs: SLOT_INTERVAL_MS, ...options };
    this.stepMs = stepMs;
  }

  /** A member that has not registered yet. */
  member({ callers = 0, ...options }: SlotOptions = {}): SlotMember {
    return new SlotMember(this, this.group.member({ ...this.options, ...options }), callers);
  }

  /** Members with so many callers, that join one after the other. */
  async joined<const Callers extends readonly number[]>(
    ...callers: Callers
  ): Promise<{ [Place in keyof Callers]: SlotMember }> {
    const members = callers.map((count) => this.member({ callers: count }));
    for (const member of members) await member.join();
    return members as { [Place in keyof Callers]: SlotMember };
  }

  /**
   * Listens to the hints for a member.
   * @throws SkippedCase where the store sends no hints of slots
   */
  async hints(member: SlotMember, store = this.group.store): Promise<SlotHints> {
    return SlotHints.of(this.context, store, this.group.name, member.ref);
  }

  get syncMs(): number {
    return this.context.ms(1_000);
  }

  readonly fail: Fail = (rule, summary) => this.context.fail(summary, rule);

  step(): void {
    this.timeMs += this.stepMs;
  }

  saw({ storeTimeMs }: Pick<MemberView, "storeTimeMs">): void {
    this.timeMs = Math.max(this.timeMs, storeTimeMs);
  }

  /** Lets the group's time pass, with the next request. */
  pass(ms: number): void {
    this.timeMs += ms;
  }

  inspect(): Promise<GroupSnapshot> {
    return this.group.inspect();
  }

  /** What the members are recorded as holding, in their order; "-" for one that is not in the group. */
  async recorded(members: readonly SlotMember[]): Promise<string> {
    const snapshot = await this.inspect();
    return members
      .map(({ ref }) => snapshot.members.find(({ incarnation }) => incarnation === ref.incarnation)?.held ?? "-")
      .join(" ");
  }

  /** The members are recorded as holding this. */
  async records(members: readonly SlotMember[], held: readonly (number | "-")[], when: string): Promise<void> {
    this.context.equal(
      await this.recorded(members),
      held.join(" "),
      `what the members are recorded as holding ${when}`,
    );
  }

  /** What an answer has of slots, the parts that are named. */
  shows(view: { readonly slots: SlotView }, expected: Partial<SlotView>, when: string): void {
    for (const [name, value] of Object.entries(expected))
      this.context.equal(view.slots[name as keyof SlotView], value, `demand.slots.${name} ${when}`);
  }
}

/** A group that nobody has used, on the case's first store. */
export async function slotGroup(context: CaseContext, max: number, options: MemberOptions = {}): Promise<SlotGroup> {
  return new SlotGroup(context, await context.newGroup(), { max, ...options });
}
