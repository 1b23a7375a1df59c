import { type Mutant, permitMutant } from "../flaw.ts";

/** P16: what a key makes of its limit record. */
export const storedLimitMutants: readonly Mutant[] = [
  permitMutant("a request with stored does not look at the record", "P16", {
    reserve: ({ table }, proceed) => {
      table.record = undefined;
      return proceed();
    },
  }),
  permitMutant("each request with stored brings the code's value anew", "P16", {
    reserve: ({ table, request }, proceed) => {
      const row = table.row();
      if (row && request.stored) table.putRow({ ...row, stored: undefined });
      return proceed();
    },
  }),
  permitMutant("a request without stored goes by its own numbers", "P16", {
    reserve: ({ table, request }, proceed) => {
      const row = table.row();
      if (row && !request.stored) table.putRow({ ...row, stored: undefined });
      return proceed();
    },
  }),
  permitMutant("another limit forgets what was used", "P16", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const row = table.row();
      const isOther = row?.stored && row.stored.revision !== (table.record?.revision ?? 0);
      if (row && request.stored && isOther) table.putRow({ ...row, tatMs: nowMs });
      return proceed();
    },
  }),
  permitMutant("a limit that is raised leaves the old distance", "P16", {
    reserve: ({ table, request }, proceed) => {
      const before = table.row();
      const answer = proceed();
      const after = table.row();
      const isRaised = (before?.stored?.values.everyMs ?? 0) > (after?.stored?.values.everyMs ?? 0);
      if (!before || !after || !request.stored || !isRaised) return answer;
      table.putRow({ ...after, tatMs: before.tatMs });
      return { ...answer, retryAfterMs: before.tatMs - after.lastMs };
    },
  }),
  permitMutant("a repeat takes in another limit", "P16", {
    reserve: ({ table, request }, proceed) => {
      const answer = proceed();
      if (!table.record?.values || !request.stored) return answer;
      return { ...answer, limit: { burst: 1, ...answer.limit, ...JSON.parse(table.record.values) } };
    },
  }),
];
