import type { GroupSnapshot, MemberView, Report } from "@dt/core";
import type { Member } from "./member.ts";

interface Fact {
  readonly id: string;
  /** The least that it is recorded as holding. */
  held: number;
}

/**
 * What the members of one group have been answered, and so what the group's ledger must say from then on, whatever
 * happens to the server.
 */
export class Answered {
  readonly group: string;
  /** Answers to registrations and reports so far. */
  answers = 0;
  readonly #members = new Map<string, Fact>();
  readonly #gone = new Map<string, string>();
  #generation = 0;

  constructor(group: string) {
    this.group = group;
  }

  async join(member: Member): Promise<void> {
    this.#take(member, await member.join());
  }

  async sync(member: Member, overrides: Partial<Report> = {}): Promise<void> {
    const fact = this.#members.get(member.ref.incarnation);
    // From here on the report may have been taken, whether or not it is answered.
    if (fact) fact.held = Math.min(fact.held, overrides.held ?? member.held);
    this.#take(member, await member.beat(overrides));
  }

  async leave(member: Member): Promise<void> {
    this.#members.delete(member.ref.incarnation);
    await member.leave();
    this.#gone.set(member.ref.incarnation, member.ref.id);
  }

  /** What was answered and is not in the snapshot, as a sentence; undefined when all of it is. */
  missing(snapshot: GroupSnapshot): string | undefined {
    if (snapshot.generation < this.#generation)
      return `generation ${this.#generation} was answered, and the group has ${snapshot.generation}`;
    for (const [incarnation, { id, held }] of this.#members) {
      const member = snapshot.members.find((other) => other.incarnation === incarnation);
      if (!member) return `${id} was answered that it is a member, and it is none`;
      if (member.held < held)
        return `${id} was answered that it holds ${held}, and is recorded as holding ${member.held}`;
    }
    const ghost = snapshot.members.find((member) => this.#gone.has(member.incarnation));
    return ghost && `the farewell of ${ghost.id} was answered, and it is a member still`;
  }

  #take(member: Member, view: MemberView): void {
    this.answers += 1;
    this.#members.set(member.ref.incarnation, { id: member.ref.id, held: view.held });
    this.#generation = Math.max(this.#generation, view.generation);
  }
}
