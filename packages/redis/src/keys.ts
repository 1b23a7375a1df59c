import type { BucketRef, LimitTarget } from "@dt/core";
import { bucketName, checkName, invalidOption } from "@dt/core/ledger";

/** Where a group, a key's permits, or a budget live in Redis. */
export interface Keys {
  /** The keys of every script, in the order that its `table.lua` gives; all in one hash slot. */
  readonly keys: readonly string[];
  /** The key of the secret in the name of the channel of its hints, in the same slot. */
  readonly hints: string;
  /** What the name of the pub/sub channel of its hints begins with; the secret comes after it. */
  readonly channel: string;
}

/** Where a group lives in Redis. */
export interface GroupKeys extends Keys {
  /** The keys that follow in the scripts of a semaphore. */
  readonly slotKeys: readonly string[];
}

/** Keys of a group: `<prefix>:{<group>}:<what>`. */
export function groupKeys(prefix: string, group: string): GroupKeys {
  const base = taggedBase(prefix, group);
  return {
    keys: ["rows", "expiry", "limits", "levels", "stales", "errors"].map((what) => `${base}:${what}`),
    slotKeys: ["queue", "holders"].map((what) => `${base}:${what}`),
    hints: `${base}:hints`,
    channel: `${base}:changed`,
  };
}

/** Keys of a key's permits: `<prefix>:{<key>}:permits`, and the same with what they hold. */
export function permitKeys(prefix: string, key: string): Keys {
  const base = `${taggedBase(prefix, key)}:permits`;
  return {
    keys: [base, `${base}:expiry`, `${base}:freed`, `${base}:queue`, `${base}:waits`],
    hints: `${base}:hints`,
    channel: `${base}:changed`,
  };
}

/** Keys of a budget: `<prefix>:{<budget>}:budget`, and the same with what it holds. It has no hints. */
export function budgetKeys(prefix: string, budget: string): Pick<Keys, "keys" | "channel"> {
  const base = `${taggedBase(prefix, budget)}:budget`;
  return { keys: [base, `${base}:expiry`], channel: "" };
}

/** The key of a limit record, in the hash slot of what it limits. */
export function limitKey(prefix: string, { kind, name, key }: LimitTarget): string {
  if (key !== undefined) return `${taggedBase(prefix, partOf(name, key))}:limit:${key}`;
  return `${taggedBase(prefix, name)}${kind === "group" ? "" : `:${kind}`}:limit`;
}

/** The key of a bucket: `<prefix>:{<name>:<0 to 31>}:bucket:<key>`. */
export function bucketKey(prefix: string, { name, key }: BucketRef): string {
  return `${taggedBase(prefix, partOf(name, key))}:bucket:${key}`;
}

/** The part of a key by which a Redis Cluster knows its hash slot. */
export function hashTagOf(key: string): string {
  return key.slice(key.indexOf("{") + 1, key.indexOf("}"));
}

/** The keys of one limit are spread over 32 hash slots of a Redis Cluster, so that those of a batch share some. */
const PARTITION_BITS = 5;

/** The hash tag of a key of a limit: the name, and a number that follows from the key. */
function partOf(name: string, key: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  // The upper bits of FNV-1a: the lower ones look at few bits of each letter.
  return `${name}:${hash >>> (32 - PARTITION_BITS)}`;
}

/** The key of which there is one for each name. */
export type NamedKey = "rows" | "permits" | "budget" | "bucket";

/** What SCAN finds the keys by that {@link nameOf} reads. @param prefix with that of the client */
export function namePattern(prefix: string, what: NamedKey): string {
  const tagged = `${prefix.replace(/[\\*?[\]]/g, "\\$&")}:{*}:${what}`;
  return what === "bucket" ? `${tagged}:*` : tagged;
}

/**
 * The name of the group, of the key of permits, of the budget or of the bucket (as `bucketName` has it) that has this
 * key in Redis; undefined for others.
 */
export function nameOf(prefix: string, what: NamedKey, key: string): string | undefined {
  const before = `${prefix}:{`;
  const end = key.indexOf("}", before.length);
  if (!key.startsWith(before) || end < 0) return undefined;
  const tag = key.slice(before.length, end);
  if (!/^(?:[^%{}]|%25|%7B|%7D)+$/.test(tag)) return undefined;
  const name = tag.replace(/%../g, decodeURIComponent);
  const after = key.slice(end + `}:${what}`.length);
  if (!key.startsWith(`}:${what}`, end)) return undefined;
  if (what !== "bucket") return after === "" ? name : undefined;
  const bucket = { name: name.slice(0, Math.max(0, name.lastIndexOf(":"))), key: after.slice(1) };
  return key === bucketKey(prefix, bucket) ? bucketName(bucket) : undefined;
}

/**
 * The braces are Redis Cluster's hash tag, so that one group is always on one node. Braces in the name would end the
 * tag early or open another one: they are percent-encoded, and so is the percent sign itself.
 */
function taggedBase(prefix: string, name: string): string {
  return `${prefix}:{${name.replace(/[%{}]/g, encodeURIComponent)}}`;
}

/**
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPrefix(value: unknown): string {
  const prefix = checkName("prefix", value);
  if (/[{}]/.test(prefix))
    throw invalidOption("prefix", prefix, "leave out the braces: they would move every group to one hash slot");
  return prefix;
}
