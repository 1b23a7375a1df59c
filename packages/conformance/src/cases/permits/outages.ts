import { instantOf } from "@dt/core/ledger";
import type { CaseDefinition } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import type { PermitKey } from "../../permits/permit-key.ts";

/** An adapter's own deadline is about a second; this leaves room for a busy machine. */
const SETTLE_MS = 2_500;

/** P9 on a server that is stopped, cut off or killed. */
export const outages: readonly CaseDefinition[] = [
  {
    name: "while the server is paused reserve and release settle in time, and afterwards permits go on",
    rule: "P9",
    why: "a caller that hangs with its server can neither give up nor be told",
    needs: ["permits", "pause", "resume"],
    run: (context) =>
      outage(
        context,
        "paused",
        () => context.target.faults?.pause?.(),
        () => context.target.faults?.resume?.(),
      ),
  },
  {
    name: "while the server is cut off reserve and release settle in time, and afterwards permits go on",
    rule: "P9",
    needs: ["permits", "partition", "heal"],
    run: (context) =>
      outage(
        context,
        "cut off",
        () => context.target.faults?.partition?.(),
        () => context.target.faults?.heal?.(),
      ),
  },
  {
    name: "a killed server fails reserve and release in time, and when it is back with its data so are the permits",
    rule: "P9",
    needs: ["permits", "kill", "restart"],
    run: (context) =>
      outage(
        context,
        "killed",
        () => context.target.faults?.kill?.(),
        () => context.target.faults?.restart?.({ keepData: true }),
      ),
  },
];

async function outage(
  context: CaseContext,
  state: string,
  begin: () => Promise<void> | undefined,
  end: () => Promise<void> | undefined,
): Promise<void> {
  const store = await context.permitStore();
  const key = await context.permitKey({ everyMs: context.ms(60_000) });
  const [first, second] = [await key.take(), await key.take()];
  const lost = key.request();
  context.note(`the server is ${state}`);
  await begin();
  let effect: string | undefined;
  try {
    const reserve = store.reserve(key.key, lost);
    const calls = [inTime(context, `reserve while the server is ${state}`, reserve)];
    // Of something that was never reserved: whether it arrives makes no difference.
    const nothing = store.release(key.key, { id: key.request().id, keep: 0 });
    calls.push(inTime(context, `release while the server is ${state}`, nothing));
    [effect] = await Promise.all(calls);
    context.that(
      effect !== undefined,
      `reserve succeeded while the server is ${state}: the target's fault has no effect`,
    );
    const controller = new AbortController();
    const call = store.reserve(`${key.key}-other`, key.request(), controller.signal);
    const given = context.refused(
      call,
      ["DT_ABORTED", "DT_STORE_UNAVAILABLE"],
      "a reservation given up during the outage",
    );
    controller.abort();
    await context.within("a reservation that was given up", context.ms(500), given);
  } finally {
    context.note(`the server is no longer ${state}`);
    await end();
  }
  await back(context, key);
  // The request may have taken effect, once, unless its effect says that it did not; asking again by its id tells which instant it has.
  const third = await store.reserve(key.key, key.request());
  const took = Math.round((instantOf(third, 0) - first.atMs) / key.everyMs) - 2;
  context.that(
    took === 0 || (took === 1 && effect === "unknown"),
    `a reservation that failed with effect "${effect}" took ${took} permits`,
  );
  const repeat = await store.reserve(key.key, lost);
  context.equal(repeat.granted, 1, "granted to the repeat of the request whose answer was lost", "P6");
  const again = await store.reserve(key.key, { ...second.request });
  context.equal(again.granted, 1, "granted to the repeat of a reservation from before the outage", "P6");
}

/** The call must settle in time, and a failure must be one that R16 names; its effect, or undefined when it succeeded. */
async function inTime(context: CaseContext, what: string, call: Promise<unknown>): Promise<string | undefined> {
  const failed = call.then(
    () => false,
    () => true,
  );
  if (!(await context.within(what, context.ms(SETTLE_MS), failed))) return undefined;
  return (await context.refused(call, ["DT_STORE_TIMEOUT", "DT_STORE_UNAVAILABLE"], what)).effect;
}

/** Waits until the store can reserve again, by itself. */
async function back(context: CaseContext, key: PermitKey): Promise<void> {
  const store = await context.permitStore();
  await context.until(
    () =>
      store.reserve(`${key.key}-probe`, key.request()).then(
        () => true,
        () => undefined,
      ),
    "the store does not answer again although its server is back",
    100,
  );
}
