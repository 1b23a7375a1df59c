import { setTimeout as sleep } from "node:timers/promises";
import { type Grant, isDtError, type Throttle } from "@dt/core";
import { type CallerContext, grantNow, isFinal, TRY_AGAIN_MS, takeAll } from "./caller-context.ts";

/**
 * How long before the end of an epoch tokens are taken: shorter than a batch lingers by default, so that what is not
 * read comes back in the next one.
 */
const BEFORE_END_MS = 5;
const POLL_EVERY_MS = 3;

/**
 * Reads batches with the default options from a source that lags: an item comes shortly before the end of every other
 * epoch, and the next one long after. What the batch does not need is given back when the next epoch has begun, of
 * which a second caller takes everything all the while.
 */
export async function batches(context: CallerContext): Promise<void> {
  await Promise.all([read(context), poll(context)]);
}

/**
 * Takes grants shortly before the end of every other epoch and gives them back in the next one, and takes everything
 * before and after.
 */
export async function late(context: CallerContext): Promise<void> {
  const { throttle, grants, ended } = context;
  for (let turn = 0; !ended(); turn++) {
    await sleep(untilQuietEnd(context));
    try {
      const one = turn % 2 === 0 ? undefined : await waitFor(throttle);
      const held = grantNow(throttle) ?? one;
      await sleep(2 * BEFORE_END_MS);
      const next = grantNow(throttle);
      if (held) grants.giveBack(held, held.tokens);
      takeAll(throttle);
      // In its own epoch: these are granted again, and rightly.
      if (next) grants.giveBack(next, Math.floor(next.tokens / 2));
      takeAll(throttle);
    } catch (error) {
      if (isFinal(error)) return;
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/** Gives a grant back, or half of it, while the next report is under way. */
export async function giveBackWhileReporting({ grants, reporting, ended }: CallerContext, grant: Grant): Promise<void> {
  await reporting();
  if (!ended()) grants.giveBack(grant, Math.random() < 0.5 ? grant.tokens : Math.floor(grant.tokens / 2));
}

async function read(context: CallerContext): Promise<void> {
  const { throttle, grants, ended } = context;
  while (!ended()) {
    try {
      for await (const batch of throttle.batches(laggingSource(context))) grants.batched(batch.length);
    } catch (error) {
      if (isFinal(error)) return;
      await sleep(TRY_AGAIN_MS);
    }
  }
}

async function* laggingSource(context: CallerContext): AsyncGenerator<number> {
  for (let item = 0; !context.ended(); item++) {
    await sleep(untilQuietEnd(context));
    yield item;
  }
}

/** Leaves the even epochs alone, so that there is something left at their end. */
async function poll({ grants, intervalMs, storeNow, ended }: CallerContext): Promise<void> {
  while (!ended()) {
    const nowMs = storeNow();
    if (nowMs !== undefined && Math.floor(nowMs / intervalMs) % 2 === 1) grants.poll();
    await sleep(POLL_EVERY_MS);
  }
}

/** How long until shortly before the end of the next even epoch. */
function untilQuietEnd({ storeNow, intervalMs }: CallerContext): number {
  const nowMs = storeNow();
  if (nowMs === undefined) return TRY_AGAIN_MS;
  const bothMs = 2 * intervalMs;
  return (intervalMs - BEFORE_END_MS - (nowMs % bothMs) + bothMs) % bothMs;
}

/** A grant of a token that comes before the epoch ends, if one does. */
async function waitFor(throttle: Throttle): Promise<Grant | undefined> {
  return throttle.acquireGrant(1, { timeout: BEFORE_END_MS }).catch((error: unknown) => {
    if (isDtError(error, "DT_TIMEOUT")) return undefined;
    throw error;
  });
}
