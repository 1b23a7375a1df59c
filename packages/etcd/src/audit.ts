import { auditLedger, DamagedData, type Head } from "@dt/cas";
import { isDtError } from "@dt/core";
import type { Entries } from "./driver.ts";
import { decodeHead } from "./head.ts";
import type { GroupKeys } from "./keys.ts";
import {
  decodeLevels,
  decodeStoredGroup,
  decodeStoredMember,
  limitOf,
  type StoredGroup,
  type StoredLevel,
  type StoredMember,
} from "./stored.ts";

/** What all keys of a group say together. */
export interface Audit {
  /** What is wrong, each a sentence. Nothing in a group that is sound, or does not exist. */
  readonly faults: readonly string[];
  readonly group: StoredGroup | undefined;
  readonly head: Head | undefined;
  /** Every member's row that can be read, in no order. */
  readonly members: readonly StoredMember[];
  /** Levels remembered of members that are gone; undefined when there are none, or they cannot be read. */
  readonly levels: ReadonlyMap<string, StoredLevel> | undefined;
}

/**
 * Looks whether all keys of a group, read at one revision, make up one ledger. O(members).
 * @param forReset the group is forgotten anyway: what is of a newer version is a fault like others
 * @throws DtError `DT_STORE_DATA` when one of them is of a newer version
 */
export function auditGroup(keys: GroupKeys, entries: Entries, forReset = false): Audit {
  const faults: string[] = [];
  const sound = <T>(key: string, read: (value: string) => T): T | undefined => {
    const value = entries.get(key)?.value;
    if (value === undefined) return undefined;
    try {
      return read(value);
    } catch (error) {
      if (error instanceof DamagedData) faults.push(error.finding);
      else if (forReset && isDtError(error, "DT_STORE_DATA")) faults.push(error.message);
      else throw error;
      return undefined;
    }
  };
  const group = sound(keys.group, (value) => decodeStoredGroup(keys.group, value));
  const head = sound(keys.head, (value) => decodeHead(keys.head, value));
  const levels = sound(keys.levels, (value) => decodeLevels(keys.levels, value));
  const rows = [...entries.keys()].filter((key) => key.startsWith(keys.members));
  const members = rows.flatMap((key) => sound(key, (value) => decodeStoredMember(key, value)) ?? []);
  // What is wrong with single values explains what does not add up.
  if (faults.length === 0) faults.push(...disagreements(keys, entries, { group, head, members }));
  return { faults, group, head, members, levels };
}

function disagreements(
  keys: GroupKeys,
  entries: Entries,
  { group, head, members }: Pick<Audit, "group" | "head" | "members">,
): readonly string[] {
  const others = [...entries.keys()].filter((key) => key !== keys.group && key !== keys.levels);
  if (!group) return others.length === 0 ? [] : [`etcd key ${keys.group} is missing, and ${others[0]} is there`];
  const { birth, row, limits } = group;
  if (head?.birth !== birth) return [`etcd key ${keys.head} is not the head of the ledger in ${keys.group}`];
  if (members.some((member) => member.birth !== birth)) return [`members under ${keys.members} are of another ledger`];
  const ranked = members.map((member) => member.row).sort((a, b) => a.rank - b.rank);
  const faults = auditLedger(row, ranked).map((fault) => `etcd key ${keys.group}: ${fault}`);
  if (faults.length > 0) return faults;
  const counted = new Map<string, number>();
  for (const limit of ranked.map(limitOf)) counted.set(limit, (counted.get(limit) ?? 0) + 1);
  const sameLimits = counted.size === limits.size && [...counted].every(([limit, n]) => limits.get(limit) === n);
  if (!sameLimits) return [`etcd key ${keys.group}: the limits are not those of the members`];
  const names = new Map<string, string>();
  for (const { rank, incarnation, id, standing } of ranked) {
    names.set(keys.rankOf(rank), incarnation);
    if (standing === "holder") names.set(keys.holderOf(id), incarnation);
  }
  for (const key of new Set([...names.keys(), ...[...entries.keys()].filter(keys.isName)])) {
    const named = entries.get(key)?.value;
    if (named !== names.get(key))
      return [`etcd key ${key} names ${named ?? "nobody"}, and the members' rows name ${names.get(key) ?? "nobody"}`];
  }
  return [];
}
