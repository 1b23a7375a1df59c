import { DamagedData, groupEssence, limitHead, limitIn, memberEssence, withHeard } from "@dt/cas";
import {
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type LimitRecordHead,
  type MemberRow,
  smallestMaxOf,
} from "@dt/core/ledger";
import type { Cells } from "./cells.ts";
import type { Lease } from "./driver.ts";
import type { GroupKeys } from "./keys.ts";
import {
  decodeLevels,
  decodeStoredGroup,
  decodeStoredMember,
  encodeLevels,
  encodeStoredGroup,
  encodeStoredMember,
  limitOf,
  parseLimit,
  type StoredLevel,
  type StoredMember,
} from "./stored.ts";

/**
 * One group's ledger on etcd's keys: aggregates in one key, a key for each member, and keys that name the member of a
 * rank and the holder of an id. An operation thus reads and writes a few small keys, however many members there are.
 */
export class RowTable implements LedgerTable {
  readonly #keys: GroupKeys;
  readonly #cells: Cells;
  readonly #stale: readonly string[];
  readonly #heardMs: number;
  readonly #recordMs: number;
  #birth: string;
  #limits: ReadonlyMap<string, number>;
  #lease: Lease | undefined;
  #size: number;

  /**
   * @param heardMs group time of the last heartbeat that is known of, which the ledger itself need not have recorded
   * @param stale incarnations found silent for longer than their stale age
   * @param newBirth what a ledger is called that begins here: a text that no other ledger bears
   * @param recordMs the time of limit records. Default 0, for a table to which no call with `stored` comes
   */
  constructor(
    keys: GroupKeys,
    cells: Cells,
    heardMs: number,
    stale: readonly string[],
    newBirth: string,
    recordMs: number = 0,
  ) {
    this.#keys = keys;
    this.#cells = cells;
    this.#stale = stale;
    this.#heardMs = heardMs;
    this.#recordMs = recordMs;
    const stored = this.#stored();
    this.#birth = stored?.birth ?? newBirth;
    this.#limits = stored?.limits ?? new Map();
    this.#lease = stored?.lease;
    this.#size = stored?.row.memberCount ?? 0;
  }

  /** What tells this ledger from others. */
  get birth(): string {
    return this.#birth;
  }

  /** True when something was changed that must be recorded, and not only times and numbers of heartbeats. */
  get changed(): boolean {
    const { group, members } = this.#keys;
    for (const key of this.#cells.changed) {
      const [before, after] = [this.#cells.before(key), this.#cells.get(key)];
      if (before === after) continue;
      if (before === undefined || after === undefined) return true;
      if (key === group) {
        const [old, now] = [decodeStoredGroup(key, before), decodeStoredGroup(key, after)];
        if (groupEssence(old.row) !== groupEssence(now.row)) return true;
      } else if (!key.startsWith(members)) return true;
      else {
        const [old, now] = [decodeStoredMember(key, before), decodeStoredMember(key, after)];
        if (old.lease !== now.lease || memberEssence(old.row) !== memberEssence(now.row)) return true;
      }
    }
    return false;
  }

  group(): GroupRow | undefined {
    const row = this.#stored()?.row;
    return row && withHeard(row, this.#heardMs);
  }

  putGroup(row: GroupRow): void {
    const [birth, limits, lease] = [this.#birth, this.#limits, this.#lease];
    this.#cells.put(this.#keys.group, encodeStoredGroup({ birth, row, limits, lease }));
  }

  /** The lease that the group's keys are on while it has no members, or were on when it had none last. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Puts the group's keys on a lease: it has no members. The head is written by others. */
  vacate(lease: Lease): void {
    const row = this.#stored()?.row;
    if (!row) return;
    this.#lease = lease;
    this.putGroup(row);
    this.#move(this.#keys.group, lease.id);
    this.#move(this.#keys.levels, lease.id);
  }

  /**
   * Takes the group's keys off their lease: somebody is a member again. The head is written by others, and so is the
   * group's own key.
   */
  occupy(): void {
    this.#move(this.#keys.levels, undefined);
  }

  member(incarnation: string): MemberRow | undefined {
    return this.stored(incarnation)?.row;
  }

  /** A member's row with its lease; undefined for one of another ledger, which is nobody in this one. */
  stored(incarnation: string): StoredMember | undefined {
    const key = this.#keys.memberOf(incarnation);
    const value = this.#cells.get(key);
    const member = value === undefined ? undefined : decodeStoredMember(key, value);
    return member?.birth === this.#birth ? member : undefined;
  }

  putMember(row: MemberRow): void {
    const before = this.stored(row.incarnation);
    this.#putStored({ birth: this.#birth, lease: "", leaseMs: 0, ...before, row });
    if (before?.row.rank !== row.rank) this.#cells.put(this.#keys.rankOf(row.rank), row.incarnation);
    if (before?.row.standing !== row.standing) {
      if (row.standing === "holder") this.#cells.put(this.#keys.holderOf(row.id), row.incarnation);
      else if (before?.row.standing === "holder") this.#cells.delete(this.#keys.holderOf(row.id));
    }
    if (!before) this.#size += 1;
    if (before?.row.max !== row.max) this.#declare(limitOf(row), before && limitOf(before.row));
  }

  deleteMember(row: MemberRow): void {
    this.#size -= 1;
    this.#cells.delete(this.#keys.memberOf(row.incarnation));
    this.#cells.delete(this.#keys.aliveOf(row.incarnation));
    this.#cells.delete(this.#keys.rankOf(this.#size));
    if (row.standing === "holder") this.#cells.delete(this.#keys.holderOf(row.id));
    this.#declare(undefined, limitOf(row));
  }

  /** Binds a member's sign of life to a lease. */
  attach(incarnation: string, lease: Lease): void {
    const before = this.stored(incarnation);
    if (!before) return;
    this.#putStored({ ...before, lease: lease.id, leaseMs: lease.ttlMs });
    this.#cells.put(this.#keys.aliveOf(incarnation), "", lease.id);
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#named(this.#keys.holderOf(id));
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#named(this.#keys.rankOf(rank));
  }

  /**
   * Those given as stale that are members and show no sign of life. Silence is judged by the observer, not by the times
   * in the rows.
   */
  expired(): readonly MemberRow[] {
    return this.#stale.flatMap((incarnation) => {
      if (this.#cells.get(this.#keys.aliveOf(incarnation)) !== undefined) return [];
      return this.member(incarnation) ?? [];
    });
  }

  smallestMax(): number | undefined {
    return smallestMaxOf(this.#declared());
  }

  hasStored(): boolean {
    return this.#declared().some(({ max }) => max === null);
  }

  limit(): LimitRecordHead | undefined {
    const text = this.#cells.get(this.#keys.limit);
    if (text === undefined) return undefined;
    return limitHead(limitIn(text, this.#recordMs), this.#stored()?.row.stored?.revision);
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#declared());
  }

  /** The rows of all members are not read with an operation. */
  count(): undefined {
    return undefined;
  }

  members(): readonly MemberRow[] {
    return Array.from({ length: this.#size }, (_, rank) => this.memberAtRank(rank) as MemberRow);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    const kept = [...this.levels()].filter(([, remembered]) => remembered.untilMs > nowMs);
    this.#cells.put(this.#keys.levels, encodeLevels(new Map(kept).set(id, { level, untilMs })));
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.levels().get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }

  /** Levels remembered of members that are gone, by their ids. */
  levels(): ReadonlyMap<string, StoredLevel> {
    const value = this.#cells.get(this.#keys.levels);
    return value === undefined ? new Map() : decodeLevels(this.#keys.levels, value);
  }

  /** Writes a key as it is, on a lease or on none. */
  #move(key: string, lease: string | undefined): void {
    const value = this.#cells.get(key);
    if (value !== undefined) this.#cells.put(key, value, lease);
  }

  #stored(): ReturnType<typeof decodeStoredGroup> | undefined {
    const value = this.#cells.get(this.#keys.group);
    return value === undefined ? undefined : decodeStoredGroup(this.#keys.group, value);
  }

  #putStored(member: StoredMember): void {
    this.#cells.put(this.#keys.memberOf(member.row.incarnation), encodeStoredMember(member));
  }

  #declared(): ReturnType<typeof parseLimit>[] {
    return [...this.#limits.keys()].map(parseLimit);
  }

  #declare(more: string | undefined, less: string | undefined): void {
    const limits = new Map(this.#limits);
    if (more !== undefined) limits.set(more, (limits.get(more) ?? 0) + 1);
    if (less !== undefined) {
      const left = (limits.get(less) ?? 0) - 1;
      if (left > 0) limits.set(less, left);
      else limits.delete(less);
    }
    this.#limits = limits;
  }

  /** @throws DtError `DT_STORE_DATA` when somebody is named who is not there */
  #named(key: string): MemberRow | undefined {
    const incarnation = this.#cells.get(key);
    if (incarnation === undefined) return undefined;
    const row = this.member(incarnation);
    if (!row) throw new DamagedData(`etcd key ${key}`, "the name of an id that is no member");
    return row;
  }
}
