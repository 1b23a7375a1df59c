import { checkKeys, checkName, invalidOption } from "../kit/check.ts";
import type { ReplacedGroup, ThrottleOptions } from "./options.ts";

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
