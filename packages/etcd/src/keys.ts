import type { CellName } from "@dt/cas";
import type { BucketRef, LimitTarget } from "@dt/core";
import { checkName, invalidOption } from "@dt/core/ledger";

/** Where a group lives in etcd. */
export interface GroupKeys {
  /** What every key of the group begins with. */
  readonly all: string;
  /** Generation, agreement, group time: what is read with every heartbeat, and watched. */
  readonly head: string;
  /** The group's aggregates; written by every change of the ledger, which is what makes changes atomic. */
  readonly group: string;
  /** Levels remembered of members that are gone. */
  readonly levels: string;
  /** The group's limit record, which is none of the group's keys. */
  readonly limit: string;
  /** What the keys of all members' rows begin with. */
  readonly members: string;
  /** What the keys begin with that exist as long as a member's lease does. */
  readonly alive: string;
  memberOf(incarnation: string): string;
  aliveOf(incarnation: string): string;
  /** Names the member that has this rank. */
  rankOf(rank: number): string;
  /** Names the member that is the holder of this id. */
  holderOf(id: string): string;
  /** What the keys of the parts begin with that make up a ledger besides its aggregates. */
  readonly parts: readonly string[];
  /** True for keys whose value is the incarnation of a member. */
  isName(key: string): boolean;
}

/**
 * Keys of a group: `<prefix>//groups/<group>/<what>`. Names are percent-encoded, slashes included, and no prefix
 * contains two slashes, so that no group's keys begin with another's, be their prefixes `a` and `a/b`.
 */
export function groupKeys(prefix: string, group: string): GroupKeys {
  const all = `${allGroups(prefix)}${encodeURIComponent(group)}/`;
  const members = `${all}member/`;
  const alive = `${all}alive/`;
  const ranks = `${all}rank/`;
  const holders = `${all}holder/`;
  return {
    all,
    head: `${all}head`,
    group: `${all}group`,
    levels: `${all}levels`,
    limit: limitKey(prefix, { kind: "group", name: group }),
    members,
    alive,
    memberOf: (incarnation) => members + encodeURIComponent(incarnation),
    aliveOf: (incarnation) => alive + encodeURIComponent(incarnation),
    rankOf: (rank) => `${ranks}${rank}`,
    holderOf: (id) => holders + encodeURIComponent(id),
    parts: [members, alive, ranks, holders],
    isName: (key) => key.startsWith(ranks) || key.startsWith(holders),
  };
}

/** Where a key's permits live: `<prefix>//permits/<key>`. */
export function permitKey(prefix: string, key: string): string {
  return `${allPermits(prefix)}${encodeURIComponent(key)}`;
}

/** Where a budget lives: `<prefix>//budgets/<budget>`. */
export function budgetKey(prefix: string, budget: string): string {
  return `${allBudgets(prefix)}${encodeURIComponent(budget)}`;
}

/** What the keys of all groups begin with. */
export function allGroups(prefix: string): string {
  return `${prefix}//groups/`;
}

/** What the keys of all permits begin with. */
export function allPermits(prefix: string): string {
  return `${prefix}//permits/`;
}

/** What the keys of all budgets begin with. */
export function allBudgets(prefix: string): string {
  return `${prefix}//budgets/`;
}

/** What the keys of all buckets begin with. */
export function allBuckets(prefix: string): string {
  return `${prefix}//keyed/`;
}

/** Where a bucket lives: `<prefix>//keyed/<name>/<key>`. */
export function bucketKey(prefix: string, { name, key }: BucketRef): string {
  return `${allBuckets(prefix)}${encodeURIComponent(name)}/${encodeURIComponent(key)}`;
}

/** Where a limit record lives: `<prefix>//limits/<kind>/<name>`, with a key `<prefix>//limits/<kind>/<name>/<key>`. */
export function limitKey(prefix: string, { kind, name, key }: LimitTarget): string {
  const all = `${prefix}//limits/${kind}/${encodeURIComponent(name)}`;
  return key === undefined ? all : `${all}/${encodeURIComponent(key)}`;
}

/** Where something lives that is one key of etcd. */
export function cellKey(prefix: string, cell: CellName): string {
  if (cell.kind === "keyed") return bucketKey(prefix, cell.bucket);
  if (cell.kind === "limit") return limitKey(prefix, cell.target);
  return cell.kind === "permits" ? permitKey(prefix, cell.name) : budgetKey(prefix, cell.name);
}

/** The name of a bucket, as `bucketName` makes it, that is written so in a key; undefined as of {@link nameOf}. */
export function bucketNameOf(encoded: string): string | undefined {
  const [name = "", key = "", ...more] = encoded.split("/");
  const bucket = { name: nameOf(name), key: nameOf(key) };
  if (bucket.name === undefined || bucket.key === undefined || more.length > 0) return undefined;
  return `${name}/${bucket.key}`;
}

/** The name that is written so in a key; undefined where no key of this store has it. */
export function nameOf(encoded: string): string | undefined {
  try {
    const name = decodeURIComponent(encoded);
    return name !== "" && encodeURIComponent(name) === encoded ? name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPrefix(value: unknown): string {
  const prefix = checkName("prefix", value);
  if (prefix.endsWith("/")) throw invalidOption("prefix", prefix, "leave out the slash at its end; the store adds one");
  if (prefix.includes("//")) throw invalidOption("prefix", prefix, "leave out the second slash: two end the prefix");
  return prefix;
}
