import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";
import type { StoreCalls } from "./store-calls.ts";

/** In a larger group the look would cost the store more than it is worth: it reads every member. */
const MOST_MEMBERS = 256;

/** A farewell is newer than every request of the process that it speaks for. */
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * The members of a group that ran in processes of this machine which are certainly over: a program that was killed, a
 * test run that never called `stop()`. They are taken out at once, instead of holding their tokens for `staleAfter`.
 * Nothing is known of their use, so that the store takes everything they held for used in the epoch under way.
 * Resolves to true when a member was taken out. Never rejects: what fails here costs no more than the usual wait.
 */
export async function endPredecessors(
  { store, group, runtime }: MembershipSettings,
  { events }: MembershipHost,
  calls: StoreCalls,
  poolSize: number,
): Promise<boolean> {
  const { processes } = runtime;
  if (!processes || poolSize > MOST_MEMBERS) return false;
  const snapshot = await calls.quietly("inspect", (signal) => store.inspect(group, signal));
  const over = (snapshot?.members ?? []).filter(({ incarnation }) => processes.isOver(processOf(incarnation)));
  const ended = over.map(async ({ id, incarnation, held }) => {
    const farewell = { seq: LAST_SEQ, level: null };
    const isOut = await calls.quietly("deregister", async (signal) => {
      await store.deregister(group, { id, incarnation }, farewell, signal);
      return true;
    });
    if (isOut && events.has("tookOver")) events.emit("tookOver", { processorId: id, held });
    return isOut === true;
  });
  return (await Promise.all(ended)).includes(true);
}

/** The process that an incarnation ran in, as {@link ProcessTable} names it; empty when it does not say. */
function processOf(incarnation: string): string {
  const dot = incarnation.indexOf(".");
  return dot < 0 ? "" : incarnation.slice(dot + 1);
}
