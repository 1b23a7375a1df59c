import {
  DamagedData,
  type Extremes,
  type GroupRow,
  isNews,
  isPauseNews,
  type LimitRecordHead,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
  type RepairTable,
  type SlotRow,
  type Stored,
  wantsOf,
} from "@dt/core/ledger";
import { checkGroup, checkMember, checkSlot, readChecked } from "./checked-rows.ts";
import { limitHeadOf } from "./limits/sqlite-limits.ts";
import { SqliteSlots } from "./sqlite-slots.ts";
import type { Statements } from "./statements.ts";

interface Numbered {
  readonly groupId: number;
}

/**
 * One group of the file, within one transaction. Rows are checked when they are read: anybody may write into a file.
 */
export class SqliteTable implements RepairTable {
  readonly slots: SqliteSlots;
  readonly #statements: Statements;
  readonly #name: string;
  /**
   * The members as they are stored, as far as they were read: a heartbeat that changes no index but the expiry's writes
   * less.
   */
  readonly #read = new Map<string, MemberRow>();
  #groupId: number | undefined;
  #before: Readonly<GroupRow> | undefined;
  #after: Readonly<GroupRow> | undefined;

  constructor(statements: Statements, name: string) {
    this.#statements = statements;
    this.#name = name;
    this.slots = new SqliteSlots(statements, () => this.#id(), this.#place("slots"));
  }

  /** True when what was written is something that listeners of hints wait for. */
  get newsworthy(): boolean {
    return isNews(this.#before, this.#after);
  }

  get newlyPaused(): boolean {
    return isPauseNews(this.#before, this.#after);
  }

  group(): GroupRow | undefined {
    const stored = readChecked(this.#place("groups"), () => this.#statements.selectGroup.get(this.#name));
    if (!stored) return undefined;
    this.#groupId = (stored as unknown as Numbered).groupId;
    const row = checkGroup(stored, this.#place("groups"));
    this.#before = { ...row };
    return row;
  }

  putGroup(row: GroupRow): void {
    this.#after = { ...row };
    this.#statements.updateGroup.run(
      row.generation,
      row.memberCount,
      row.held,
      row.adopted,
      row.capacity,
      row.largestMemberCount,
      row.intervalMs,
      row.createdAtMs,
      row.learnFromMs,
      row.learnUntilMs,
      row.lastMs,
      row.offsetMs,
      row.lapsedMs,
      row.quietLimitMs,
      row.longestStaleMs,
      row.clockErrorMs,
      row.aheadUntilMs,
      row.repairs,
      row.freedEpoch,
      row.spent,
      JSON.stringify(row.wants),
      row.hungryMs,
      row.pausedUntilMs,
      row.stored?.revision ?? null,
      row.stored?.values.max ?? null,
      this.#id(),
    );
  }

  member(incarnation: string): MemberRow | undefined {
    return this.#one(() => this.#statements.selectMember.get(this.#id(), incarnation));
  }

  putMember(row: MemberRow): void {
    const stored = this.#read.get(row.incarnation);
    if (stored && stored.rank === row.rank && stored.max === row.max && stored.standing === row.standing) {
      this.#statements.updateHeartbeat.run(
        row.seq,
        row.generation,
        row.memberCount,
        row.held,
        row.level,
        row.expiresAtMs,
        ...demandAndActivity(row),
        this.#id(),
        row.incarnation,
      );
      return;
    }
    this.#statements.putMember.run(
      this.#id(),
      row.incarnation,
      row.id,
      row.seq,
      row.rank,
      row.generation,
      row.memberCount,
      row.held,
      row.max,
      row.level,
      row.staleAfterMs,
      row.clockErrorMs,
      row.resumeWithinMs,
      row.expiresAtMs,
      row.standing,
      row.joined,
      ...demandAndActivity(row),
    );
    this.#read.set(row.incarnation, { ...row });
  }

  deleteMember(row: MemberRow): void {
    this.#read.delete(row.incarnation);
    this.#statements.deleteMember.run(this.#id(), row.incarnation);
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#one(() => this.#statements.selectHolder.get(this.#id(), id));
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#one(() => this.#statements.selectMemberByRank.get(this.#id(), rank));
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.#all(() => this.#statements.selectExpired.all(this.#id(), livenessMs, PRUNE_LIMIT));
  }

  smallestMax(): number | undefined {
    const found = this.#statements.selectSmallestMax.get(this.#id()) as { readonly max: number | null };
    return found.max ?? undefined;
  }

  hasStored(): boolean {
    return this.#statements.selectStored.get(this.#id()) !== undefined;
  }

  limit(): LimitRecordHead | undefined {
    return limitHeadOf(this.#statements, "group", this.#name);
  }

  extremes(): Extremes | undefined {
    const found = this.#statements.selectExtremes.get(this.#id()) as {
      readonly [Key in keyof Extremes]: number | null;
    };
    return found.smallestStaleMs === null ? undefined : (found as Extremes);
  }

  count(): MemberCount {
    const counted = this.#statements.countMembers.get(this.#id()) as unknown as MemberCount & {
      readonly damaged: number;
    };
    const { memberCount, held, damaged } = counted;
    // A sum with a negative number in it would have room for tokens that others use.
    if (damaged > 0)
      throw new DamagedData(this.#place("members"), `${damaged} rows with tokens that no member can hold or want`);
    const wants = this.#statements.selectWants.all(this.#id()) as unknown as readonly Pick<MemberRow, "want">[];
    return { memberCount, held, wants: wantsOf(wants) };
  }

  members(): readonly MemberRow[] {
    if (this.#groupId === undefined) return [];
    const groupId = this.#groupId;
    return this.#all(() => this.#statements.selectMembers.all(groupId));
  }

  storedGroup(): Stored<GroupRow> | undefined {
    const stored = this.#statements.selectGroupExactly.get(this.#name);
    if (!stored) return undefined;
    this.#groupId = Number((stored as unknown as Numbered).groupId);
    return { read: () => checkGroup(stored, this.#place("groups")) };
  }

  storedMembers(): readonly Stored<MemberRow>[] {
    if (this.#groupId === undefined) this.storedGroup();
    if (this.#groupId === undefined) return [];
    const rows = this.#statements.selectMembersExactly.all(this.#groupId);
    return rows.map((stored) => ({ read: () => checkMember(stored, this.#place("members")) }));
  }

  storedSlots(): readonly Stored<SlotRow>[] {
    if (this.#groupId === undefined) return [];
    const rows = this.#statements.selectSlotsExactly.all(this.#groupId);
    return rows.map((stored) => ({ read: () => checkSlot(stored, this.#place("slots")) }));
  }

  replace(row: GroupRow, members: readonly MemberRow[]): void {
    this.#statements.deleteMembers.run(this.#id());
    this.#read.clear();
    // Those of an operation that was half done.
    this.slots.hints.length = 0;
    this.putGroup(row);
    for (const member of members) this.putMember(member);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    this.#statements.deleteLevels.run(this.#id(), nowMs);
    this.#statements.putLevel.run(this.#id(), id, level, untilMs);
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const found = this.#statements.selectLevel.get(this.#id(), id, nowMs) as { readonly level: number } | undefined;
    return found?.level;
  }

  #one(read: () => Record<string, unknown> | undefined): MemberRow | undefined {
    const stored = readChecked(this.#place("members"), read);
    return stored && this.#checked(stored);
  }

  #all(read: () => Record<string, unknown>[]): readonly MemberRow[] {
    return readChecked(this.#place("members"), read).map((stored) => this.#checked(stored));
  }

  #checked(stored: Record<string, unknown>): MemberRow {
    const row = checkMember(stored, this.#place("members"));
    this.#read.set(row.incarnation, { ...row });
    return row;
  }

  /** Where a row is, for messages. */
  #place(table: string): string {
    return `table ${table} of the file, in group ${JSON.stringify(this.#name)},`;
  }

  /** The group's number; a group that is new gets one before its first member is written. */
  #id(): number {
    this.#groupId ??= (this.#statements.insertGroup.get(this.#name) as { readonly groupId: number }).groupId;
    return this.#groupId;
  }
}

/** The last columns of a member's row. */
function demandAndActivity({ want, odd, gaveUpMs, restUntilMs, activity }: MemberRow): readonly (number | null)[] {
  return [want, odd ? 1 : 0, gaveUpMs, restUntilMs, activity?.used ?? null, activity?.waiting ?? null];
}
