import type { PermitRequest } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";

const DAY_MS = 86_400_000;

/** P11: the longest that one request may reserve a key for. */
export const longest: readonly CaseDefinition[] = casesOf({ rule: "P11", needs: ["permits"] }, [
  {
    name: "a request that would reserve the key for more than a day is refused, and reserves nothing",
    why: "one call could block a key for years",
    async run(context) {
      const store = await context.permitStore();
      const key = await context.permitKey();
      const first = await key.take();
      const tooLong: Partial<PermitRequest>[] = [
        { cost: 2, everyMs: DAY_MS / 2 + 1 },
        { count: 2, everyMs: DAY_MS / 2 + 1 },
        { count: 10, cost: 10, everyMs: DAY_MS / 100 + 1 },
        { cost: 1e9 },
      ];
      for (const changes of tooLong)
        await context.refused(
          store.reserve(key.key, key.request(changes)),
          ["DT_INVALID_OPTION"],
          `reserve with ${JSON.stringify(changes)}`,
        );
      key.at((await key.take()).atMs, first.atMs + key.everyMs, "the permit after requests that were refused");
    },
  },
  {
    name: "a request may reserve a day, and one permit of one unit as long as it likes",
    async run(context) {
      for (const changes of [
        { cost: 2, everyMs: DAY_MS / 2 },
        { count: 4, everyMs: DAY_MS / 4 },
        { everyMs: 10 * DAY_MS },
        { cost: 0.5, everyMs: 10 * DAY_MS },
      ])
        await (await context.permitKey()).take(changes);
    },
  },
]);
