import {
  type Extremes,
  type GroupRow,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
} from "@dt/core/ledger";
import type { Statements } from "./statements.ts";

type StoredGroup = GroupRow & { readonly groupId: number };

/** One group of the file, within one transaction. */
export class SqliteTable implements LedgerTable {
  readonly #statements: Statements;
  readonly #name: string;
  /** The members as they are stored, as far as they were read: a heartbeat that changes no index but the expiry's writes less. */
  readonly #read = new Map<string, MemberRow>();
  #groupId: number | undefined;
  #before: Readonly<GroupRow> | undefined;
  #after: Readonly<GroupRow> | undefined;

  constructor(statements: Statements, name: string) {
    this.#statements = statements;
    this.#name = name;
  }

  /** True when what was written is something that watchers wait for: another generation, or an agreement. */
  get newsworthy(): boolean {
    const [before, after] = [this.#before, this.#after];
    if (!after) return false;
    if (!before || before.generation !== after.generation) return true;
    return before.adopted < before.poolSize && after.adopted === after.poolSize;
  }

  group(): GroupRow | undefined {
    const stored = this.#statements.selectGroup.get(this.#name) as StoredGroup | undefined;
    if (!stored) return undefined;
    const { groupId, ...row } = stored;
    this.#groupId = groupId;
    this.#before = { ...row };
    return row;
  }

  putGroup(row: GroupRow): void {
    this.#after = { ...row };
    this.#statements.updateGroup.run(
      row.generation,
      row.poolSize,
      row.held,
      row.adopted,
      row.capacity,
      row.largestPoolSize,
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
      this.#id(),
    );
  }

  member(incarnation: string): MemberRow | undefined {
    return this.#one(this.#statements.selectMember.get(this.#id(), incarnation));
  }

  putMember(row: MemberRow): void {
    const stored = this.#read.get(row.incarnation);
    if (stored && stored.rank === row.rank && stored.max === row.max && stored.standing === row.standing) {
      this.#statements.updateHeartbeat.run(
        row.seq,
        row.generation,
        row.poolSize,
        row.held,
        row.level,
        row.expiresAtMs,
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
      row.poolSize,
      row.held,
      row.max,
      row.level,
      row.staleAfterMs,
      row.clockErrorMs,
      row.resumeWithinMs,
      row.expiresAtMs,
      row.standing,
      row.joined,
    );
    this.#read.set(row.incarnation, { ...row });
  }

  deleteMember(row: MemberRow): void {
    this.#read.delete(row.incarnation);
    this.#statements.deleteMember.run(this.#id(), row.incarnation);
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#one(this.#statements.selectHolder.get(this.#id(), id));
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#one(this.#statements.selectMemberByRank.get(this.#id(), rank));
  }

  expired(livenessMs: number): readonly MemberRow[] {
    const rows = this.#statements.selectExpired.all(this.#id(), livenessMs, PRUNE_LIMIT);
    return rows.map((row) => this.#one(row) as MemberRow);
  }

  smallestMax(): number | undefined {
    const found = this.#statements.selectSmallestMax.get(this.#id()) as { readonly max: number | null };
    return found.max ?? undefined;
  }

  extremes(): Extremes | undefined {
    const found = this.#statements.selectExtremes.get(this.#id()) as {
      readonly [Key in keyof Extremes]: number | null;
    };
    return found.smallestStaleMs === null ? undefined : (found as Extremes);
  }

  count(): MemberCount {
    return this.#statements.countMembers.get(this.#id()) as unknown as MemberCount;
  }

  members(): readonly MemberRow[] {
    if (this.#groupId === undefined) return [];
    return this.#statements.selectMembers.all(this.#groupId).map((row) => this.#one(row) as MemberRow);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    this.#statements.deleteLevels.run(this.#id(), nowMs);
    this.#statements.putLevel.run(this.#id(), id, level, untilMs);
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const found = this.#statements.selectLevel.get(this.#id(), id, nowMs) as { readonly level: number } | undefined;
    return found?.level;
  }

  #one(found: unknown): MemberRow | undefined {
    if (found === undefined) return undefined;
    const row = found as MemberRow;
    this.#read.set(row.incarnation, { ...row });
    return { ...row };
  }

  /** The group's number; a group that is new gets one before its first member is written. */
  #id(): number {
    this.#groupId ??= (this.#statements.insertGroup.get(this.#name) as { readonly groupId: number }).groupId;
    return this.#groupId;
  }
}
