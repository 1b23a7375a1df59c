import { type CaseDefinition, casesOf } from "../../case.ts";
import type { PermitKey } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";
import { rejects } from "../rejects.ts";
import { settledAs } from "../settled-as.ts";

/** P9: cancellation and closing. */
export const calls: readonly CaseDefinition[] = casesOf({ rule: "P9", needs: ["permits"] }, [
  {
    name: "reserve and release are refused at once with a signal that is aborted already, and do nothing",
    async run(context) {
      const key = await context.permitKey();
      const store = await context.permitStore();
      const [first, second] = [await key.take(), await key.take()];
      const signal = AbortSignal.abort(new Error("given up"));
      for (const [what, call] of everyCall(key, store, second.request.id, signal)) {
        const error = await context.refused(call(), ["DT_ABORTED"], `${what} with an aborted signal`);
        context.equal(error.effect, "definite", `effect of a ${what} that was never sent`);
      }
      key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit after calls with an aborted signal");
    },
  },
  {
    name: "a reservation whose signal aborts while it runs settles, and a permit that it may have taken can be given back by its id",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0 });
      const store = await context.permitStore();
      for (let round = 0; round < 6; round++) {
        const name = `${key.key}-${round}`;
        const request = key.request();
        const controller = new AbortController();
        const call = store.reserve(name, request, controller.signal);
        if (round % 3 === 0) controller.abort();
        else void context.sleep(round % 3).then(() => controller.abort());
        const outcome = await context.within(
          "a reservation with an aborted signal",
          context.ms(1_000),
          settledAs(call),
        );
        context.that(
          ["done", "DT_ABORTED"].includes(outcome),
          `a reservation with an aborted signal ended with ${outcome}`,
        );
        await context.until(async () => {
          // A request that was on its way may arrive after its release: then it is given back the next time.
          await store.release(name, { id: request.id, keep: 0 });
          const { granted } = await store.reserve(name, key.request());
          return granted === 1 ? true : undefined;
        }, "what a reservation with an aborted signal may have taken cannot be given back");
      }
    },
  },
  {
    name: "after close reserve and release are refused as closed",
    async run(context) {
      const key = await context.permitKey();
      const store = context.permits(await context.openStore());
      await store.reserve(key.key, key.request());
      await store.close();
      for (const [what, call] of everyCall(key, store, "any"))
        await context.refused(call(), ["DT_STORE_CLOSED"], `${what} on a closed store`);
    },
  },
  {
    name: "closing one store gives back no permits",
    needs: ["permits", "separateStores"],
    async run(context) {
      const key = await context.permitKey();
      const closing = context.permits(await context.openStore());
      const first = await key.take({}, closing);
      await key.take({}, closing);
      await closing.close();
      key.at(
        (await key.take()).atMs,
        first.atMs + 2 * key.everyMs,
        "the permit after the store that reserved two was closed",
      );
    },
  },
  {
    name: "reservations in flight settle when the store is closed",
    async run(context) {
      const key = await context.permitKey();
      const store = context.permits(await context.openStore());
      const under = Array.from({ length: 20 }, () => settledAs(store.reserve(key.key, key.request())));
      await store.close();
      for (const outcome of await Promise.all(under))
        context.that(
          outcome === "done" || outcome === "DT_STORE_CLOSED",
          `a reservation in flight while the store was closed ended with ${outcome}`,
        );
    },
  },
  {
    name: "failures of permit calls come as rejections, never as exceptions",
    async run(context) {
      const key = await context.permitKey();
      const store = (await context.bareStore()) as PermitStore;
      const malformed = [() => store.reserve("", key.request()), () => store.release("", { id: "any", keep: 0 })];
      for (const call of malformed) await rejects(context, call);
      await store.close();
      for (const [, call] of everyCall(key, store, "any")) await rejects(context, call);
    },
  },
]);

function everyCall(
  key: PermitKey,
  store: PermitStore,
  id: string,
  signal?: AbortSignal,
): readonly (readonly [string, () => Promise<unknown>])[] {
  return [
    ["reserve", () => store.reserve(key.key, key.request(), signal)],
    ["release", () => store.release(key.key, { id, keep: 0 }, signal)],
  ];
}
