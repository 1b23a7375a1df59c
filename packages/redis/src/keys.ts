import { checkName, invalidOption } from "@dt/core/ledger";

/** Where a group lives in Redis. */
export interface GroupKeys {
  /** The keys of every script, in the order that `table.lua` gives; all in one hash slot. */
  readonly keys: readonly string[];
  /** The pub/sub channel of its hints. */
  readonly channel: string;
}

/**
 * Keys of a group: `<prefix>:{<group>}:<what>`. The braces are Redis Cluster's hash tag, so that one group is always on one node. Braces
 * in the group's name would end the tag early or open another one: they are percent-encoded, and so is the percent sign itself.
 */
export function groupKeys(prefix: string, group: string): GroupKeys {
  const base = `${prefix}:{${group.replace(/[%{}]/g, encodeURIComponent)}}`;
  return {
    keys: [`${base}:rows`, `${base}:expiry`, `${base}:limits`, `${base}:levels`],
    channel: `${base}:changed`,
  };
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
