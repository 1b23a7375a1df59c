import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { insist } from "../../permits/insist.ts";
import type { Answered } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";
import { RETRY_ROUNDING_MS } from "../../permits/tolerance.ts";

/** P4: how much is reserved ahead, and what those are told who come too early. */
export const bound: readonly CaseDefinition[] = casesOf({ rule: "P4", needs: ["permits"] }, [
  {
    name: "permits are reserved ahead up to the bound and no further",
    why: "without a bound a crash wastes what was reserved, and nothing pushes back on those who ask",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 3 });
      const given: Answered[] = [];
      for (let i = 0; i < 4; i++) given.push(await key.take());
      // The formula counts whole intervals, so that one more is due at the edge, and one with each interval that the
      // calls took.
      let edge = await key.ask();
      for (; edge.reservation.granted > 0; edge = await key.ask()) given.push(edge);
      const { reservation } = edge;
      const lastMs = given.at(-1)?.instants[0] as number;
      againAt(context, reservation, lastMs - 3 * key.everyMs);
      context.that(reservation.reservedAhead >= 3, `reservedAhead is ${reservation.reservedAhead} at a bound of 3`);
    },
  },
  {
    name: "a permit is given after exactly the time that a refused request is answered, and not before",
    why: "too short, and callers come back in vain; too long, and permits are lost",
    async run(context) {
      for (const maxReserved of [0, 2]) {
        const key = await context.permitKey({ everyMs: context.ms(100), maxReserved });
        let answered = await key.take();
        while (answered.reservation.granted > 0) answered = { ...(await key.ask()), atMs: 0 };
        const { storeTimeMs, retryAfterMs } = answered.reservation;
        const openMs = storeTimeMs + retryAfterMs;
        await context.until(async () => {
          const { reservation } = await key.ask();
          const early = openMs - reservation.storeTimeMs;
          if (reservation.granted > 0) {
            context.that(early <= RETRY_ROUNDING_MS, `a permit was given ${early} ms before the time to try again`);
            return true;
          }
          context.that(
            early >= -0.1,
            `refused ${-early} ms after the time to try again, although no other request came`,
          );
          againAt(context, reservation, openMs);
          return undefined;
        }, "a refused request is never granted");
      }
    },
  },
  {
    name: "with a bound of 0 nothing is reserved ahead: a permit is given when it is due, or not at all",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0 });
      const first = await key.take();
      for (let i = 0; i < 5; i++) {
        const { reservation } = await key.refused({}, "none is due and the bound is 0");
        againAt(context, reservation, first.atMs + key.everyMs);
        context.equal(reservation.reservedAhead, 0, "reservedAhead with a bound of 0");
      }
      // The refusals took nothing: somebody who may reserve ahead gets the very next instant.
      key.at((await key.take({ maxReserved: 5 })).atMs, first.atMs + key.everyMs, "the permit after five refusals");
    },
  },
  {
    name: "a block ends at the bound",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 4 });
      const block = await key.ask({ count: 20 });
      const { granted } = block.reservation;
      context.that(
        granted === 5 || granted === 6,
        `a block of 20 under a bound of 4 was given ${granted} permits, not 5`,
      );
      const pessimistic = await context.permitKey({ maxReserved: 0, burst: 3 });
      const due = await pessimistic.ask({ count: 20 });
      // Rounding may leave the last one due a billionth of a millisecond later, and then it is given to the next who
      // asks.
      const rest = due.reservation.granted === 2 ? (await pessimistic.ask()).reservation.granted : 0;
      context.equal(due.reservation.granted + rest, 3, "permits of a block of 20 where 3 are due and the bound is 0");
      await pessimistic.refused({ count: 2 }, "none is due and the bound is 0");
    },
  },
  {
    name: "each request is judged by its own bound",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 1 });
      while ((await key.ask()).reservation.granted > 0);
      await key.refused({ maxReserved: 0 });
      const patient = await key.take({ maxReserved: 5 });
      context.that(
        patient.reservation.reservedAhead >= 1,
        `reservedAhead is ${patient.reservation.reservedAhead} with two and more permits to come`,
      );
      await key.refused();
    },
  },
  {
    name: "reservedAhead counts whole intervals between now and the last permit, rounded down",
    async run(context) {
      const key = await context.permitKey();
      for (let i = 0; i < 6; i++) {
        const { atMs, reservation } = await key.take();
        const ahead = (atMs - reservation.storeTimeMs) / key.everyMs;
        context.that(
          reservation.reservedAhead >= Math.floor(ahead - 1e-6) &&
            reservation.reservedAhead <= Math.floor(ahead + 1e-6),
          `reservedAhead is ${reservation.reservedAhead}, and the last permit is ${ahead} intervals ahead`,
        );
      }
    },
  },
  {
    name: "the last place under the bound is given to one of many who ask at the same time",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0 });
      const stores = [await context.permitStore()];
      while (stores.length < 4) stores.push(await context.permitClient());
      for (let round = 0; round < 3; round++) {
        const name = `${key.key}-${round}`;
        const asked = Array.from({ length: 16 }, (_, i) => {
          const request = key.request();
          return insist(context, () => (stores[i % stores.length] as PermitStore).reserve(name, request));
        });
        const granted = (await Promise.all(asked)).reduce((sum, answer) => sum + answer.granted, 0);
        context.equal(granted, 1, "permits given to 16 who asked at the same time where one was due");
      }
    },
  },
]);

function againAt(
  context: CaseContext,
  { storeTimeMs, retryAfterMs }: Answered["reservation"],
  expectedMs: number,
): void {
  const lateMs = storeTimeMs + retryAfterMs - expectedMs;
  context.that(
    lateMs >= -0.02 && lateMs <= RETRY_ROUNDING_MS + 0.02,
    `a refused request is answered to try again in ${retryAfterMs} ms, which is ${lateMs.toFixed(3)} ms after a permit is free`,
  );
}
