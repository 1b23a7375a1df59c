import { type Bug, bug } from "./bug.ts";
import { keepingOversleptShares } from "./exchange-bugs.ts";

/** How fast `StoreClock` lets an error grow. */
const DRIFT = 0.001;

/** Faults of clocks: a processor's idea of the store's, and the group's own. */
export const CLOCK_BUGS: readonly Bug[] = [
  bug("clock-error-understated", "a slow round trip counts as if it told the store's time exactly", {
    "consensus/store-clock.ts": {
      StoreClock: ({ StoreClock }) =>
        class extends StoreClock {
          override observe(sentMs: number, receivedMs: number, storeTimeMs: number): boolean {
            const middleMs = (sentMs + receivedMs) / 2;
            const errorMs = (receivedMs - sentMs) / 50;
            return super.observe(middleMs - errorMs, middleMs + errorMs, storeTimeMs);
          }
        },
    },
  }),
  bug("clock-one-way", "the answer is taken to be as old as the whole round trip", {
    "consensus/store-clock.ts": {
      StoreClock: ({ StoreClock }) =>
        class extends StoreClock {
          override observe(sentMs: number, receivedMs: number, storeTimeMs: number): boolean {
            return super.observe(sentMs, receivedMs, storeTimeMs + (receivedMs - sentMs) / 2 + 200);
          }
        },
    },
  }),
  bug("clock-never-corrected", "a store clock that has moved is not noticed", {
    "consensus/store-clock.ts": {
      StoreClock: ({ StoreClock }) =>
        class extends StoreClock {
          readonly #boundMs: number;
          constructor(boundMs: number) {
            super(boundMs);
            this.#boundMs = boundMs;
          }
          override observe(sentMs: number, receivedMs: number, storeTimeMs: number): boolean {
            const errorMs = (receivedMs - sentMs) / 2;
            const currentErrorMs = this.#boundMs - (this.trustedUntilMs - receivedMs) * DRIFT;
            const awayMs = Math.abs(storeTimeMs - this.toStore((sentMs + receivedMs) / 2));
            if (this.known && awayMs > errorMs + currentErrorMs) return false;
            return super.observe(sentMs, receivedMs, storeTimeMs);
          }
        },
    },
  }),
  bug("time-goes-back", "group time follows the server's clock back", {
    "ledger/group-clock.ts": {
      advanceClock:
        ({ advanceClock }) =>
        (row, ...times) => {
          const { offsetMs } = row;
          const nowMs = advanceClock(row, ...times);
          row.offsetMs = offsetMs;
          return nowMs;
        },
    },
  }),
  bug("learning-ends-by-observation", "what a survivor has observed ends the learning of a recreated group", {
    "ledger/group-clock.ts": {
      advanceClock:
        ({ advanceClock }) =>
        (row, clockMs, observedMs) => {
          const shownMs = Math.max(row.lastMs, clockMs + row.offsetMs);
          const nowMs = advanceClock(row, clockMs, observedMs);
          row.lapsedMs -= nowMs - shownMs;
          return nowMs;
        },
    },
  }),
  bug(
    "quiet-counts-in-full",
    "a jump of the server's clock counts as silence, and members that it removes do not hear of the jump",
    {
      "ledger/group-clock.ts": {
        advanceClock:
          ({ advanceClock }) =>
          (row, clockMs, observedMs) => {
            const quietMs = Math.max(row.lastMs, clockMs + row.offsetMs) - row.lastMs;
            const nowMs = advanceClock(row, clockMs, observedMs);
            row.lapsedMs -= Math.max(0, quietMs - row.quietLimitMs);
            return nowMs;
          },
      },
      "consensus/exchange.ts": { Exchange: keepingOversleptShares },
    },
  ),
];
