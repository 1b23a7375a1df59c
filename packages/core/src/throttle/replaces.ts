import { checkKeys, checkName, invalidOption } from "../kit/check.ts";
import type { Duration } from "../kit/duration.ts";
import type { ThrottleOptions } from "./options.ts";

/** The terms of a group that another one replaces while a fleet is rolled. */
export interface ReplacedGroup {
  /** Its name: another one than the throttle's own. */
  readonly group: string;
  /** Its limit. */
  readonly max: number;
  /** Length of its epochs. Default 1 s. */
  readonly interval?: Duration;
}

const REPLACED_KEYS: ReadonlySet<string> = new Set<keyof ReplacedGroup>(["group", "max", "interval"]);

/**
 * The options with which a throttle takes part in the group that it replaces: an even share, and its times at their
 * defaults, which follow from the interval.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function replacedOptions(options: ThrottleOptions, replaces: ReplacedGroup): ThrottleOptions {
  checkKeys("replaces", replaces, REPLACED_KEYS, "replaces.");
  const { store, release, processorId, onStoreLost, runtime } = options;
  const group = checkName("replaces.group", replaces.group);
  if (group === options.group)
    throw invalidOption("replaces.group", group, "give the new group another name than the one that it replaces");
  return {
    ...replaces,
    store,
    ...(release !== undefined && { release }),
    ...(processorId !== undefined && { processorId }),
    ...(onStoreLost !== undefined && { onStoreLost }),
    ...(runtime !== undefined && { runtime }),
  };
}
