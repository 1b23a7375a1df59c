import { DtError } from "@dt/core";
import { checkPermitRequest, termsMismatch } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import type { PlainPermitTable } from "../suite-internals.ts";
import { passes } from "../without-checks.ts";

const DAY_MS = 86_400_000;

/** P10, P11: what users agree on, and how long one request may reserve. */
export const termsMutants: readonly Mutant[] = [
  permitMutant("a request with other terms is refused and has its permit all the same", "P10", {
    reserve: ({ request: { terms: _, formerTerms: __, ...request } }, proceed) => {
      try {
        return proceed();
      } catch (error) {
        proceed(request);
        throw error;
      }
    },
  }),
  permitMutant("a request without terms is refused once a key has some", "P10", {
    reserve: ({ table, request }, proceed) => {
      const recorded = table.key?.terms;
      if (recorded !== undefined && request.terms === undefined) throw termsMismatch(recorded, "");
      return proceed();
    },
  }),
  permitMutant("terms bind only while something is reserved ahead", "P10", {
    reserve: ({ table, nowMs }, proceed) => {
      if (table.key && table.key.tatMs <= nowMs) forgetTerms(table);
      return proceed();
    },
  }),
  permitMutant("terms bind for ever", "P10", {
    reserve: ({ table, request: { terms, formerTerms } }, proceed) => {
      const { terms: recorded, formerTerms: former } = table.key ?? {};
      const isOne = terms === undefined || terms === recorded || formerTerms === recorded || terms === former;
      if (recorded !== undefined && !isOne) throw termsMismatch(recorded, terms);
      return proceed();
    },
  }),
  permitMutant("terms that take the place of others are refused", "P10", {
    reserve: ({ request: { formerTerms: _, ...request } }, proceed) => proceed(request),
  }),
  permitMutant("one request may reserve more than a day", "P11", {
    // Each part by itself: one permit of one unit may be as long as it likes, and nothing is too long at the shortest
    // interval.
    unchecked: (call) =>
      call.method === "reserve" &&
      passes(() => {
        const [key, request] = call.given;
        checkPermitRequest(key, { ...request, count: 1, cost: 1 });
        checkPermitRequest(key, { ...request, everyMs: Number.MIN_VALUE });
      }),
  }),
  permitMutant("one permit of one unit is refused too where it reserves more than a day", "P11", {
    reserve: ({ request }, proceed) => {
      refuseLongerThanADay(request.count * request.cost * request.everyMs);
      return proceed();
    },
  }),
];

function refuseLongerThanADay(ms: number): void {
  if (ms > DAY_MS) throw new DtError("DT_INVALID_OPTION", `this would keep the key for ${ms} ms`);
}

function forgetTerms(table: PlainPermitTable): void {
  if (table.key) table.putRow({ ...table.key, terms: undefined, formerTerms: undefined });
}
