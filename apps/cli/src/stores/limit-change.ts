import { hostname, userInfo } from "node:os";
import { type LimitRecord, type LimitValues, type Rate, setLimit } from "@dt/core";
import { UsageError } from "../exit-code.ts";
import type { AnyStore } from "./in-store.ts";
import { targetOf, valuesNow } from "./limit-values.ts";
import type { LimitName } from "./limiter.ts";

/** Who changes a limit, why, and for how long. */
export interface ChangeOptions {
  readonly by: string;
  readonly why?: string | undefined;
  /** In milliseconds; absent for good. */
  readonly forMs?: number | undefined;
}

/** The user and the host, for the history of a limit. */
export function thisUser(): string {
  return `${userInfo().username}@${hostname()}`;
}

/** @throws UsageError where the store keeps no limits */
export function checkLimits(store: AnyStore): void {
  if (store.setLimit === undefined) throw new UsageError(`the ${store.capabilities.name} store keeps no limits`);
}

/**
 * Sets a stored limit, or removes it.
 * @param values the new values; undefined removes the limit
 * @throws DtError `DT_INVALID_OPTION` for values that no limit of this kind has, and the errors of the store
 */
export async function changeLimit(
  store: AnyStore,
  limiter: LimitName,
  values: Rate | LimitValues | undefined,
  { by, why, forMs }: ChangeOptions,
): Promise<LimitRecord> {
  const { kind, name } = limiter;
  if (kind !== "keyed" && kind !== "learned")
    return setLimit(store, { kind, name }, values, {
      by,
      ...(why !== undefined && { why }),
      ...(forMs !== undefined && { for: forMs }),
    });
  const from = await valuesNow(store, limiter);
  const asked = {
    ...{ values: values as LimitValues | undefined, by },
    ...(why !== undefined && { why }),
    ...(forMs !== undefined && { forMs }),
    ...(from && { from }),
  };
  return (store as Required<Pick<AnyStore, "setLimit">>).setLimit(targetOf(limiter), asked);
}
