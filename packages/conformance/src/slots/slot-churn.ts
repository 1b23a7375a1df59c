import { CaseGroup } from "../case-group.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import { SlotGroup } from "./slot-group.ts";
import type { SlotHints } from "./slot-hints.ts";
import type { SlotMember } from "./slot-member.ts";

/** Milliseconds between two calls of a worker, at most. */
const PAUSE_MS = 15;
/** Calls of one process, at most: with a slot for each of a third of them. */
const MOST_CALLERS = 3;

/** What a schedule is made of. */
export interface SlotChurnOptions {
  readonly workers: number;
  readonly clients: number;
  readonly max: number;
  readonly forMs: number;
}

/** A process that comes, goes, crashes, takes offers and gives slots up, and keeps the protocol while it lives. */
interface Worker {
  readonly group: SlotGroup;
  member: SlotMember | undefined;
  hints: SlotHints | undefined;
  /** A share is used for half a stale age after the request was sent, as a member's validity. */
  validUntilMs: number;
}

/**
 * Lets workers do as they please for a while, with the seed's chance. After every answer and offer, what all of them
 * may use together is within the capacity. In the end each that waits is served.
 */
export async function slotChurn(context: CaseContext, options: SlotChurnOptions): Promise<void> {
  const name = context.group();
  const groups: SlotGroup[] = [];
  for (let i = 0; i < options.clients; i++) {
    const group = new CaseGroup(await context.client(), name, (...of) => context.member(...of));
    groups.push(new SlotGroup(context, group, { max: options.max, staleAfterMs: context.ms(SHORT_MS) }, 0));
  }
  await new SlotChurn(context, groups, options).run();
}

class SlotChurn {
  readonly #context: CaseContext;
  readonly #options: SlotChurnOptions;
  readonly #workers: readonly Worker[];

  constructor(context: CaseContext, groups: readonly SlotGroup[], options: SlotChurnOptions) {
    this.#context = context;
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, index): Worker => {
      const group = groups[index % groups.length] as SlotGroup;
      return { group, member: undefined, hints: undefined, validUntilMs: 0 };
    });
  }

  async run(): Promise<void> {
    const endMs = this.#context.now() + this.#options.forMs;
    const live = async (worker: Worker): Promise<void> => {
      while (this.#context.now() < endMs) {
        await this.#step(worker);
        await this.#context.pause(this.#context.random() * PAUSE_MS);
      }
    };
    await Promise.all([...this.#workers.map(live), this.#look(endMs)]);
    await this.#allServed();
    for (const { hints } of this.#workers) hints?.stop();
  }

  /** What is on record while they do as they please. */
  async #look(endMs: number): Promise<void> {
    const { max } = this.#options;
    while (this.#context.now() < endMs) {
      const { held } = await (this.#workers[0] as Worker).group.inspect();
      this.#context.that(held <= max, `the members are recorded as holding ${held} of ${max}`, "R7");
      await this.#context.pause(20);
    }
  }

  async #step(worker: Worker): Promise<void> {
    const { member, group } = worker;
    const chance = this.#context.random();
    if (!member) return this.#join(worker);
    if (chance < 0.05) {
      this.#forget(worker);
      return member.leave();
    }
    if (chance < 0.08) {
      this.#context.note(`${member.ref.id} crashes`);
      return this.#forget(worker);
    }
    if (chance < 0.5) member.callers = this.#below(MOST_CALLERS + 1);
    const kept = Math.min(member.held, chance < 0.3 ? this.#below(member.held + 1) : member.callers);
    if (chance > 0.15) return this.#report(worker, member, kept);
    // An old report as well, as a network that repeats and reorders delivers it.
    const late = member.report();
    await Promise.all([
      this.#report(worker, member, kept),
      group.group.store.sync(member.member.group, member.ref, late),
    ]);
  }

  async #join(worker: Worker): Promise<void> {
    const { group } = worker;
    const member = group.member({ callers: this.#below(MOST_CALLERS + 1) });
    if (this.#context.has(group.group.store, "onSlotHint")) {
      worker.hints = await group.hints(member);
      worker.hints.onHint = (hint) => {
        // One that has not joined yet, or has crashed, takes no offer.
        if (worker.member !== member || hint?.kind !== "offer" || !member.take(hint)) return;
        const summary = this.#excess();
        if (summary) this.#context.violated({ rule: this.#context.rule, summary });
      };
    }
    const sentMs = this.#context.now();
    await member.join();
    worker.member = member;
    this.#answered(worker, sentMs);
  }

  async #report(worker: Worker, member: SlotMember, kept: number): Promise<void> {
    const sentMs = this.#context.now();
    if (await member.sync(kept)) return this.#answered(worker, sentMs);
    const isLate = this.#context.now() >= worker.validUntilMs;
    this.#context.that(isLate, `${member.ref.id} is a member no more within half its stale age`, "R4");
    this.#forget(worker);
  }

  #answered(worker: Worker, sentMs: number): void {
    worker.validUntilMs = sentMs + this.#context.ms(SHORT_MS) / 2;
    const summary = this.#excess();
    if (summary) this.#context.fail(summary);
  }

  #forget(worker: Worker): void {
    worker.member = undefined;
    worker.hints?.stop();
    worker.hints = undefined;
  }

  /** A sentence where all may use more at this moment than there is. */
  #excess(): string | undefined {
    const nowMs = this.#context.now();
    const using = this.#workers.flatMap(({ member, validUntilMs }) =>
      member && member.held > 0 && nowMs < validUntilMs ? [member] : [],
    );
    const sum = using.reduce((total, { held }) => total + held, 0);
    const { max } = this.#options;
    if (sum <= max) return undefined;
    const who = using.map(({ ref, held }) => `${ref.id}: ${held}`).join(", ");
    return `${using.length} members may use ${sum} slots of ${max} at the same time (${who})`;
  }

  /** Each has one call that waits, and is done once it has its slot. */
  async #allServed(): Promise<void> {
    this.#context.note("no more joins, leaves and crashes");
    const members = this.#workers.flatMap(({ member }) => (member ? [member] : []));
    const waiting = new Set(members);
    for (const member of members) member.callers = 1;
    await this.#context.until(async () => {
      for (const member of members) {
        if (waiting.has(member) && member.held > 0) {
          waiting.delete(member);
          member.callers = 0;
        }
        // One that was removed while the machine was busy joins again, as a member does.
        if (!(await member.sync(Math.min(member.held, member.callers)))) await member.join({ rejoin: true });
      }
      return waiting.size === 0 ? true : undefined;
    }, `not all of ${members.length} members that wait for a slot have had one, though each gives it up`);
  }

  #below(limit: number): number {
    return Math.floor(this.#context.random() * limit);
  }
}
