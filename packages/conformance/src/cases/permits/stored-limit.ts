import type { LimitLedger } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { SkippedCase } from "../../failure.ts";
import type { Answered, PermitKey } from "../../permits/permit-key.ts";

const STORED = { stored: true };

/** P16: stored limits of keys. */
export const storedLimit: readonly CaseDefinition[] = casesOf({ rule: "P16", needs: ["permits"] }, [
  {
    name: "a key goes by what is set for it, and its snapshot shows that",
    why: "an operator who lowers a limit would change nothing",
    async run(context) {
      const [key, limits] = await keyWithLimits(context);
      const first = await key.take(STORED);
      said(context, first, key.everyMs, 1);
      await key.setLimit(limits, { everyMs: 3 * key.everyMs, burst: 4 });
      const later = await key.ask({ ...STORED, count: 9 });
      context.equal(later.reservation.granted, 3, "permits of a burst of 4, of which one was used");
      said(context, later, 3 * key.everyMs, 4);
      await key.setLimit(limits, undefined);
      said(context, await key.refused(STORED, "the burst is used"), key.everyMs, 1);
    },
  },
  {
    name: "without a record the first request with stored sets the limit, whatever later ones state",
    async run(context) {
      const [key] = await keyWithLimits(context);
      await key.take(STORED);
      said(context, await key.ask({ ...STORED, everyMs: key.everyMs / 7, burst: 9 }), key.everyMs, 1);
    },
  },
  {
    name: "a request without stored goes by the stricter numbers, and its terms are no matter to one with stored",
    async run(context) {
      const [key, limits] = await keyWithLimits(context);
      await key.setLimit(limits, { everyMs: 2 * key.everyMs, burst: 3 });
      await key.take(STORED);
      const own = { everyMs: key.everyMs, burst: 9, terms: "its own" };
      said(context, await key.ask(own), 2 * key.everyMs, 3);
      said(context, await key.ask({ ...own, everyMs: 5 * key.everyMs, burst: 2 }), 5 * key.everyMs, 2);
      said(context, await key.ask(STORED), 2 * key.everyMs, 3);
    },
  },
  {
    name: "what was used stays used when a limit is lowered, and no request waits at the old distance when it is raised",
    async run(context) {
      const [key, limits] = await keyWithLimits(context);
      const stored = { ...STORED, burst: 5 };
      await key.ask({ ...stored, count: 5 });
      await key.setLimit(limits, { everyMs: 20 * key.everyMs });
      const lowered = await key.refused(stored, "the burst is used");
      context.that(lowered.reservation.retryAfterMs > 15 * key.everyMs, "the next permit comes at the old distance");
      await key.setLimit(limits, { everyMs: key.everyMs });
      const raised = await key.refused(stored, "the burst is used");
      context.that(raised.reservation.retryAfterMs <= key.everyMs, "the next permit still comes at the old distance");
    },
  },
  {
    name: "a repeat changes no limit",
    async run(context) {
      const [key, limits] = await keyWithLimits(context);
      const first = await key.take(STORED);
      await key.setLimit(limits, { everyMs: 2 * key.everyMs });
      said(context, await key.send(first.request), key.everyMs, 1);
      said(context, await key.ask(STORED), 2 * key.everyMs, 1);
    },
  },
]);

async function keyWithLimits(context: CaseContext): Promise<readonly [PermitKey, Pick<LimitLedger, "setLimit">]> {
  const store = await context.store();
  if (!context.has(store, "setLimit")) throw new SkippedCase("the store keeps no stored limits (it has no setLimit())");
  return [await context.permitKey(), store as typeof store & LimitLedger];
}

function said(context: CaseContext, { reservation }: Answered, everyMs: number, burst: number): void {
  context.equal(
    JSON.stringify(reservation.limit),
    JSON.stringify({ everyMs, burst }),
    "the limit that an answer states",
  );
}
