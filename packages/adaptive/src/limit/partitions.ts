import { describe, invalidOption } from "@dt/core/internal";

/** Calls that are counted together, and have a part of the limit to themselves. */
export interface Partition {
  /** Undefined: of those that name no partition, and have no part of their own. */
  readonly name: string | undefined;
  /** Its part of the limit, from 0 to 1. */
  readonly part: number;
  /** Its cost in flight. */
  inflight: number;
  /**
   * Until when a part of the limit is kept free for it, because it was refused although it is owed more: on the
   * runtime's clock.
   */
  owedUntilMs: number;
}

/** The partitions of a limit, by name; the one without a name is always there. */
export type Partitions = ReadonlyMap<string | undefined, Partition>;

/**
 * Reads the option: names with percentages.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPartitions(given: Readonly<Record<string, number>>): Partitions {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalidOption("partitions", given, "give percentages by name, such as { checkout: 60, search: 20 }");
  const partitions = new Map<string | undefined, Partition>([[undefined, partition(undefined, 0)]]);
  let sum = 0;
  for (const [name, percent] of Object.entries(given)) {
    if (!(Number.isFinite(percent) && percent > 0 && percent <= 100))
      throw invalidOption(`partitions.${name}`, percent, "give a percentage, more than 0 and at most 100");
    partitions.set(name, partition(name, percent / 100));
    sum += percent;
  }
  // A little more than 100, since three times 33.4 is one.
  if (sum > 100.5)
    throw invalidOption("partitions", given, `they add up to ${sum} %; give at most 100 %, or nothing is guaranteed`);
  return partitions;
}

/**
 * The partition of a call.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function findPartition(partitions: Partitions, name: string | undefined): Partition {
  const found = partitions.get(name);
  if (found) return found;
  const known = [...partitions.keys()].filter((known) => known !== undefined);
  const remedy = known.length > 0 ? `known are ${known.map(describe).join(", ")}` : "the limit has none";
  throw invalidOption("partition", name, `there is no such partition; ${remedy}`);
}

function partition(name: string | undefined, part: number): Partition {
  return { name, part, inflight: 0, owedUntilMs: Number.NEGATIVE_INFINITY };
}
