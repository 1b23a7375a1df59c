import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import type { PermitKey } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";
import { withWallClock } from "../../wall-clock.ts";
import { pace } from "../pace.ts";

const HOUR_MS = 3_600_000;
/** Far more than two clients of a hybrid clock may differ by. */
const SKEW_MS = 240_000;

/** P2: whose clock, and which way it goes. */
export const storeTime: readonly CaseDefinition[] = casesOf({ rule: "P2", needs: ["permits"] }, [
  {
    name: "a key's time passes as real time does, whichever client asks",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0 });
      await paceOf(context, key, [await context.permitStore(), await context.permitClient()]);
    },
  },
  {
    name: "a client whose own clock is an hour off gets the same instants as all others",
    why: "one wrong clock among the processes would act too early, or keep all others waiting",
    needs: ["permits", "skewedStore"],
    async run(context) {
      for (const skewMs of [HOUR_MS, -HOUR_MS]) {
        const key = await context.permitKey();
        const skewed = context.permits(
          await context.openStore(() =>
            (context.target.createSkewedStore as (ms: number) => ReturnType<typeof context.target.createStore>)(skewMs),
          ),
        );
        const first = await key.take();
        key.at(
          (await key.take({}, skewed)).atMs,
          first.atMs + key.everyMs,
          `a permit of a client whose clock is off by ${skewMs} ms`,
        );
        key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit after it");
        await paceOf(context, await context.permitKey({ maxReserved: 0 }), [await context.permitStore(), skewed]);
      }
    },
  },
  {
    name: "a client whose wall clock (Date) is four minutes off gets the same instants as all others",
    needs: ["permits", "distantClock"],
    alone: true,
    async run(context) {
      for (const skewMs of [SKEW_MS, -SKEW_MS]) {
        const off = <T>(run: () => Promise<T>): Promise<T> => withWallClock(skewMs, run);
        const key = await context.permitKey();
        const skewed = context.permits(await off(() => context.openStore()));
        const first = await key.take();
        const second = await off(() => key.take({}, skewed));
        key.at(second.atMs, first.atMs + key.everyMs, `a permit of a client whose wall clock is off by ${skewMs} ms`);
        key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit after it");
        const reserve: PermitStore["reserve"] = (...args) => off(() => skewed.reserve(...args));
        await paceOf(
          context,
          await context.permitKey({ maxReserved: 0 }),
          [await context.permitStore(), { reserve }],
          3,
        );
      }
    },
  },
  {
    name: "when the store's clock jumps back, a key's time goes on from where it was, and permits keep their distance",
    needs: ["permits", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const key = await context.permitKey();
      const first = await key.take();
      context.note(`the store's clock is shifted by ${-HOUR_MS} ms`);
      await shift(-HOUR_MS);
      try {
        const second = await key.take();
        key.at(second.atMs, first.atMs + key.everyMs, "the permit after the clock jumped back");
        await paceOf(context, await context.permitKey({ maxReserved: 0 }), [await context.permitStore()]);
        const before = (await key.take()).reservation.storeTimeMs;
        await context.sleep(context.ms(200));
        const passedMs = (await key.take()).reservation.storeTimeMs - before;
        context.that(passedMs >= context.ms(150), `the key's time went on by ${passedMs} ms in ${context.ms(200)} ms`);
      } finally {
        await shift(HOUR_MS);
      }
    },
  },
  {
    name: "when the store's clock jumps ahead, what was reserved has passed, and the next permit is due at once",
    needs: ["permits", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const key = await context.permitKey();
      for (let i = 0; i < 4; i++) await key.take();
      await shift(HOUR_MS);
      try {
        const { atMs, reservation } = await key.take();
        key.at(atMs, reservation.storeTimeMs, "a permit an hour later");
      } finally {
        await shift(-HOUR_MS);
      }
    },
  },
]);

/** Whether the key's time passes as real time does, whichever of the stores is asked. */
function paceOf(
  context: CaseContext,
  key: PermitKey,
  stores: readonly Pick<PermitStore, "reserve">[],
  calls = 6,
): Promise<void> {
  const asked = stores.map((store) => () => store.reserve(key.key, key.request()));
  return pace(context, asked, { calls, pauseMs: 20, mayStandStill: context.clockErrorMs > 0 });
}
