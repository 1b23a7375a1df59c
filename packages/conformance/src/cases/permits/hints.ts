import { type CaseDefinition, casesOf } from "../../case.ts";
import { type CaseContext, LONG_MS } from "../../context.ts";
import type { PermitKey } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";

type Listening = Required<Pick<PermitStore, "onPermitHint">>;

/**
 * The hints of a store that sends hints of freed instants. Not a safety matter: hints may be lost or repeated, so each
 * case gives several occasions.
 */
export const hints: readonly CaseDefinition[] = casesOf({ rule: "P9", needs: ["permits"] }, [
  {
    name: "a listener of a key is called soon after an instant was given back, also by another client",
    async run(context) {
      const key = await context.permitKey({ keepMs: context.ms(LONG_MS) });
      const hinting = await hintingStore(context);
      for (const store of [await context.permitStore(), await context.permitClient()]) {
        let told = 0;
        const stop = await hinting.onPermitHint(key.key, () => {
          told += 1;
        });
        await occasions(context, key, store, () => told > 0);
        stop();
      }
    },
  },
  {
    name: "a listener of a key that stopped is not called any more, and stopping twice is harmless",
    async run(context) {
      const key = await context.permitKey();
      const hinting = await hintingStore(context);
      const store = await context.permitStore();
      const told = { stopped: 0, listening: 0 };
      const stop = await hinting.onPermitHint(key.key, () => {
        told.stopped += 1;
      });
      const stopOther = await hinting.onPermitHint(key.key, () => {
        told.listening += 1;
      });
      await occasions(context, key, store, () => told.listening > 0);
      stop();
      stop();
      told.stopped = 0;
      told.listening = 0;
      await occasions(context, key, store, () => told.listening > 0);
      context.equal(told.stopped, 0, "hints to one who stopped listening");
      stopOther();
    },
  },
  {
    name: "listening to a key is refused with an aborted signal, with a malformed key and on a closed store",
    async run(context) {
      const key = await context.permitKey();
      const store = context.permits(await context.openStore());
      const hinting = await hintingStore(context, store);
      const ignore = (): void => {};
      const aborted = hinting.onPermitHint(key.key, ignore, AbortSignal.abort());
      await context.refused(aborted, ["DT_ABORTED"], "onPermitHint with an aborted signal");
      await context.refused(hinting.onPermitHint("", ignore), ["DT_INVALID_OPTION"], "onPermitHint of an empty key");
      await store.close();
      await context.refused(
        hinting.onPermitHint(key.key, ignore),
        ["DT_STORE_CLOSED"],
        "onPermitHint on a closed store",
      );
    },
  },
]);

async function hintingStore(context: CaseContext, store?: PermitStore): Promise<Listening> {
  return context.hintsOfPermits(store ?? (await context.permitStore()));
}

/** Reserves and gives back until a hint comes. */
async function occasions(context: CaseContext, key: PermitKey, store: PermitStore, told: () => boolean): Promise<void> {
  await context.until(async () => {
    const request = key.request();
    await store.reserve(key.key, request);
    await store.release(key.key, { id: request.id, keep: 0 });
    for (let wait = 0; wait < 20 && !told(); wait++) await context.sleep(context.ms(20));
    return told() ? true : undefined;
  }, "a listener of a key is never called although an instant was given back");
}
