import type { LimitValues, Rate } from "@dt/core";
import { parseRate } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import type { FleetReport, LimiterReport } from "../fleet/report.ts";
import type { AnyStore } from "../stores/in-store.ts";
import { changeLimit, checkLimits, thisUser } from "../stores/limit-change.ts";
import { limitText } from "../stores/limit-text.ts";
import { parseLimit, valuesNow } from "../stores/limit-values.ts";
import { isLedger } from "../stores/limiter.ts";
import { forMsOf, limitNameOf } from "./limit-order.ts";
import { previewOf } from "./preview.ts";
import type { LimitChanged, LimitOrder, LimitPreview } from "./protocol.ts";

/**
 * What would follow of a change. Changes nothing.
 * @param report the last report of the fleet
 * @throws UsageError for a limit that is none of the kind; the errors of the store
 */
export async function previewLimit(
  store: AnyStore,
  order: LimitOrder,
  report: FleetReport | undefined,
): Promise<LimitPreview> {
  checkLimits(store);
  const limiter = report?.limiters.find(({ kind, name }) => kind === order.kind && name === order.name);
  const given = givenLimit(order);
  const [from, isStored] = await Promise.all([valuesNow(store, limitNameOf(order)), usesStore(store, order, limiter)]);
  return previewOf({
    ...{ kind: order.kind, key: order.key, limiter, from: from ?? null, for: order.for, isStored },
    to: given === undefined ? null : valuesOf(given, limiter),
  });
}

/**
 * Changes a stored limit as `dt limit set` and `dt limit remove` do.
 * @throws UsageError for a limit that is none of the kind; the errors of the store
 */
export async function orderLimit(store: AnyStore, order: LimitOrder): Promise<LimitChanged> {
  checkLimits(store);
  const name = limitNameOf(order);
  const options = { by: `${thisUser()} (console)`, why: order.reason, forMs: forMsOf(order) };
  const record = await changeLimit(store, name, givenLimit(order), options);
  return { text: limitText(name, record.inForce ? record.values : undefined, record) };
}

/** Undefined where the limit is removed. @throws UsageError */
function givenLimit(order: LimitOrder): Rate | LimitValues | undefined {
  const { limit, burst, concurrent } = order;
  return limit === null ? undefined : parseLimit(limitNameOf(order), limit, { burst, concurrent });
}

/** A rate of a throttle is for its interval; where that is not known, it is for the one of the rate. */
function valuesOf(limit: Rate | LimitValues, limiter: LimiterReport | undefined): LimitValues {
  if (typeof limit === "object") return limit;
  if (typeof limit === "number") return { max: limit };
  const { count, intervalMs } = parseRate("limit", limit);
  const windowMs = limiter?.limits[0]?.windowMs ?? intervalMs;
  // What a division leaves is no part of a token.
  const max = Math.floor((count * windowMs) / intervalMs + 1e-9);
  if (max < 1) throw new UsageError(`give at least a token in ${windowMs} ms, the throttle's interval`);
  return { max };
}

/** Whether the limiter's processes take their limit from the store; undefined where that is not known. */
async function usesStore(
  store: AnyStore,
  { kind, name }: LimitOrder,
  limiter: LimiterReport | undefined,
): Promise<boolean | undefined> {
  if (isLedger(kind)) {
    const { members = [] } = limiter ?? {};
    return members.length === 0 ? undefined : members.some(({ max }) => max === null);
  }
  if (kind === "keyed") return undefined;
  const snapshot = kind === "pacer" ? await store.inspectPermits?.(name) : await store.inspectBudget?.(name);
  // The copy of the limit is made by a request with `stored`, and stays while the row is there.
  return snapshot === undefined ? undefined : snapshot.stored !== undefined;
}
