import { checkTag, DamagedData, decodeGroup, decodeMember, encodeGroup, encodeMember, parseStored, TAG } from "@dt/cas";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
import type { Lease } from "./driver.ts";

/**
 * The group's aggregates, which ledger they are of, and how many members declare the same: what they declare makes the
 * capacity and the group's times.
 */
export interface StoredGroup {
  /** A text that no other ledger bears. */
  readonly birth: string;
  readonly row: GroupRow;
  readonly limits: ReadonlyMap<string, number>;
  /**
   * The lease that the group's keys are on while it has no members, or were on when it had none last; undefined when it
   * always had some.
   */
  readonly lease?: Lease | undefined;
}

/** What of a member's declaration counts for the group, as text: max (0 for none), stale age, clock error. */
export function limitOf({ max, staleAfterMs, clockErrorMs }: MemberRow): string {
  return [max ?? 0, staleAfterMs, clockErrorMs].join(" ");
}

/** What {@link limitOf} was made of. */
export function parseLimit(limit: string): Pick<MemberRow, "max" | "staleAfterMs" | "clockErrorMs"> {
  const [max, staleAfterMs, clockErrorMs] = limit.split(" ").map(Number) as [number, number, number];
  return { max: max === 0 ? null : max, staleAfterMs, clockErrorMs };
}

/** A member's row, the birth of the ledger that it is of, and the lease by which it shows that it is alive. */
export interface StoredMember {
  readonly birth: string;
  readonly row: MemberRow;
  readonly lease: string;
  readonly leaseMs: number;
}

/** A level remembered of a member that is gone. */
export interface StoredLevel {
  readonly level: number;
  readonly untilMs: number;
}

export function encodeStoredGroup({ birth, row, limits, lease }: StoredGroup): string {
  return JSON.stringify({
    v: TAG,
    birth,
    row: encodeGroup(row),
    limits: [...limits],
    lease: lease && [lease.id, lease.ttlMs],
  });
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeStoredGroup(key: string, value: string): StoredGroup {
  const { stored, where } = open(key, value);
  const { birth, row, limits: storedLimits, lease } = stored;
  const limits = pairs(storedLimits, where, "limits");
  for (const [limit, count] of limits)
    if (
      typeof limit !== "string" ||
      !Object.values(parseLimit(limit)).every((value) => value === null || Number.isFinite(value)) ||
      !isCount(count)
    )
      throw new DamagedData(where, "limits that are no numbers");
  if (typeof birth !== "string" || birth === "") throw new DamagedData(where, "a ledger without a birth");
  return {
    birth,
    row: decodeGroup(row, where),
    limits: limits as unknown as ReadonlyMap<string, number>,
    lease: decodeLease(lease, where),
  };
}

function decodeLease(stored: unknown, where: string): Lease | undefined {
  if (stored === undefined) return undefined;
  const [id, ttlMs] = Array.isArray(stored) ? (stored as unknown[]) : [];
  if (typeof id !== "string" || !isCount(ttlMs)) throw new DamagedData(where, "a lease that is none");
  return { id, ttlMs };
}

export function encodeStoredMember({ birth, row, lease, leaseMs }: StoredMember): string {
  return JSON.stringify({ v: TAG, birth, row: encodeMember(row), lease, leaseMs });
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeStoredMember(key: string, value: string): StoredMember {
  const { stored, where } = open(key, value);
  const { birth, row, lease, leaseMs } = stored;
  if (typeof birth !== "string" || typeof lease !== "string" || !isCount(leaseMs))
    throw new DamagedData(where, "a member without a lease");
  return { birth, row: decodeMember(row, where), lease, leaseMs };
}

export function encodeLevels(levels: ReadonlyMap<string, StoredLevel>): string {
  return JSON.stringify({ v: TAG, levels: [...levels].map(([id, { level, untilMs }]) => [id, [level, untilMs]]) });
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeLevels(key: string, value: string): ReadonlyMap<string, StoredLevel> {
  const { stored, where } = open(key, value);
  const { levels: storedLevels } = stored;
  const levels = new Map<string, StoredLevel>();
  for (const [id, remembered] of pairs(storedLevels, where, "levels")) {
    const [level, untilMs] = Array.isArray(remembered) ? (remembered as unknown[]) : [];
    if (typeof id !== "string" || typeof level !== "number" || typeof untilMs !== "number")
      throw new DamagedData(where, "levels that are no numbers");
    levels.set(id, { level, untilMs });
  }
  return levels;
}

/**
 * The object that a key holds, of the right version.
 * @throws DtError `DT_STORE_DATA`
 */
export function open(key: string, value: string): { stored: Readonly<Record<string, unknown>>; where: string } {
  const where = `etcd key ${key}`;
  const stored = parseStored(value, where);
  const { v: tag } = stored;
  checkTag(tag, where);
  return { stored, where };
}

function pairs(value: unknown, where: string, what: string): ReadonlyMap<unknown, unknown> {
  if (!Array.isArray(value) || !value.every((pair) => Array.isArray(pair) && pair.length === 2))
    throw new DamagedData(where, `${what} that are no pairs`);
  return new Map(value as [unknown, unknown][]);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
