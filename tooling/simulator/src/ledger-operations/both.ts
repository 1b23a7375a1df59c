import { deepStrictEqual } from "node:assert/strict";
import {
  type Farewell,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type Registration,
  type Report,
  type SlotHint,
  type View,
} from "@dt/core";
import * as reference from "@dt/core/ledger";
import { ReferenceTable } from "../reference-table.ts";

/** A store whose clock the caller sets. */
export interface TimedGroups {
  register(group: string, registration: Registration, clockMs: number): Promise<View>;
  sync(group: string, member: MemberRef, report: Report, clockMs: number): Promise<View>;
  deregister(group: string, member: MemberRef, farewell: Farewell, clockMs: number): Promise<void>;
  inspect(group: string, clockMs: number): Promise<GroupSnapshot>;
  /** For a store whose data has an age: from now on it is that of data since then. */
  setDataSince?(sinceMs: number): Promise<void>;
  /** For a store that may lose all of a group. */
  loseData?(group: string): Promise<void>;
  /** Compares what its rows hold, and no answer shows. @throws AssertionError */
  compareRows?(group: string, expected: ReferenceTable): Promise<void>;
  /** For a store that keeps stored limits: writes the record of a group. */
  setLimit?(group: string, record: reference.LimitRecordRow): Promise<void>;
  /** The hints of slots that the last operation sent, in their order: `<incarnation> <text of the hint>`. */
  slotHints?(): Promise<readonly string[]>;
}

/** A store and the ledger of `@dt/core`, of which each is asked the same at the same time. */
export class Both {
  readonly #groups: TimedGroups;
  readonly #group: string;
  #table = new ReferenceTable();
  #dataSinceMs: number | undefined;

  /** @param group one that the store does not have */
  constructor(groups: TimedGroups, group: string) {
    this.#groups = groups;
    this.#group = group;
  }

  async setDataSince(sinceMs: number): Promise<void> {
    if (!this.#groups.setDataSince) return;
    await this.#groups.setDataSince(sinceMs);
    this.#dataSinceMs = sinceMs;
  }

  /** The hints of slots that the last operation sent, which both have sent. @throws AssertionError where they differ */
  async slotHints(what: string): Promise<readonly SlotHint[]> {
    const { hints } = this.#table.slots;
    this.#table.slots.hints = [];
    const expected = hints.map(([incarnation, hint]) => `${incarnation} ${reference.writeSlotHint(hint)}`);
    if (this.#groups.slotHints) deepStrictEqual(await this.#groups.slotHints(), expected, `${what}: hints`);
    return hints.map(([, hint]) => hint);
  }

  /** What the queue of the semaphore is, in no order. */
  get slotRows(): readonly reference.SlotRow[] {
    return [...this.#table.slots.rows.values()];
  }

  async loseData(): Promise<void> {
    await this.#groups.loseData?.(this.#group);
    const { record } = this.#table;
    this.#table = new ReferenceTable();
    this.#table.record = record;
  }

  /** Writes the record of the group's limit. */
  async setLimit(record: reference.LimitRecordRow): Promise<void> {
    await this.#groups.setLimit?.(this.#group, record);
    this.#table.record = record;
  }

  /** @throws AssertionError with both answers where they differ, and DtError for a refusal, as the others do */
  register(registration: Registration, clockMs: number, what = "register"): Promise<View> {
    return same(what, this.#groups.register(this.#group, registration, clockMs), () =>
      reference.register(this.#table, registration, clockMs, this.#dataSinceMs),
    );
  }

  sync(member: MemberRef, report: Report, clockMs: number, what = "sync"): Promise<View> {
    return same(what, this.#groups.sync(this.#group, member, report, clockMs), () =>
      reference.sync(this.#table, member, report, clockMs),
    );
  }

  deregister(member: MemberRef, farewell: Farewell, clockMs: number, what = "deregister"): Promise<void> {
    return same(what, this.#groups.deregister(this.#group, member, farewell, clockMs), () =>
      reference.deregister(this.#table, member, farewell, clockMs),
    );
  }

  /** Compares what the group holds, and what no answer shows of it. */
  async look(clockMs: number, what: string): Promise<GroupSnapshot> {
    const snapshot = await same(`${what}: inspect`, this.#groups.inspect(this.#group, clockMs), () =>
      reference.inspect(this.#table, this.#group, clockMs),
    );
    const ranks = snapshot.members.map(({ rank }) => rank);
    deepStrictEqual(ranks, [...ranks.keys()], `${what}: ranks`);
    if (this.#table.group()) await this.#groups.compareRows?.(this.#group, this.#table);
    return snapshot;
  }
}

/** The answer of both, when it is the same, to the last digit of every time. A refusal is an answer too. */
async function same<T>(what: string, actual: Promise<T>, expected: () => T): Promise<T> {
  const [mine, theirs] = [await settled(actual), await settled((async () => expected())())];
  deepStrictEqual(plain(mine), plain(theirs), what);
  if (isDtError(mine)) throw mine;
  return mine as T;
}

async function settled(operation: Promise<unknown>): Promise<unknown> {
  try {
    return await operation;
  } catch (error) {
    if (!isDtError(error)) throw error;
    return error;
  }
}

function plain(answer: unknown): unknown {
  return isDtError(answer) ? { code: answer.code, message: answer.message, effect: answer.effect } : answer;
}
