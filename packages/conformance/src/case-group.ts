import type { CoordinationStore, GroupSnapshot } from "@dt/core";
import type { Member, MemberOptions } from "./member.ts";

/** A group of a case, on one store. */
export class CaseGroup {
  readonly store: CoordinationStore;
  readonly name: string;
  readonly #member: (store: CoordinationStore, group: string, options?: MemberOptions) => Member;

  constructor(
    store: CoordinationStore,
    name: string,
    member: (store: CoordinationStore, group: string, options?: MemberOptions) => Member,
  ) {
    this.store = store;
    this.name = name;
    this.#member = member;
  }

  /** A member that has not registered yet. */
  member(options?: MemberOptions): Member {
    return this.#member(this.store, this.name, options);
  }

  inspect(): Promise<GroupSnapshot> {
    return this.store.inspect(this.name);
  }
}
