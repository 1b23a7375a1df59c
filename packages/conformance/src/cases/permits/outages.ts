import { instantOf } from "@dt/core/ledger";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { answersAgain, CUT_OFF, during, KILLED, type Outage, PAUSED, settles, settlesGivenUp } from "../outage.ts";

/** P9 on a server that is stopped, cut off or killed. */
export const outages: readonly CaseDefinition[] = casesOf({ rule: "P9" }, [
  {
    name: "while the server is paused reserve and release settle in time, and afterwards permits go on",
    why: "a caller that hangs with its server can neither give up nor learn of the outage",
    needs: ["permits", "pause", "resume"],
    run: (context) => outage(context, PAUSED),
  },
  {
    name: "while the server is cut off reserve and release settle in time, and afterwards permits go on",
    needs: ["permits", "partition", "heal"],
    run: (context) => outage(context, CUT_OFF),
  },
  {
    name: "a killed server fails reserve and release in time, and when it is back with its data so are the permits",
    needs: ["permits", "kill", "restart"],
    run: (context) => outage(context, KILLED),
  },
]);

async function outage(context: CaseContext, way: Outage): Promise<void> {
  const { state } = way;
  const store = await context.permitStore();
  const key = await context.permitKey({ everyMs: context.ms(60_000) });
  const [first, second] = [await key.take(), await key.take()];
  const lost = key.request();
  const effect = await during(context, way, async () => {
    const reserve = store.reserve(key.key, lost);
    const calls = [settles(context, `reserve while the server is ${state}`, reserve)];
    // Of something that was never reserved: whether it arrives makes no difference.
    const nothing = store.release(key.key, { id: key.request().id, keep: 0 });
    calls.push(settles(context, `release while the server is ${state}`, nothing));
    const [failure] = await Promise.all(calls);
    context.that(
      failure !== undefined,
      `reserve succeeded while the server is ${state}: the target's fault has no effect`,
    );
    await settlesGivenUp(context, "a reservation", (signal) =>
      store.reserve(`${key.key}-other`, key.request(), signal),
    );
    return failure?.effect;
  });
  await answersAgain(context, () => store.reserve(`${key.key}-probe`, key.request()));
  // The request may have taken effect, once, unless its effect says that it did not; asking again by its id tells which
  // instant it has.
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
