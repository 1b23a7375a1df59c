import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P8: the line. */
export const queueMutants: readonly Mutant[] = [
  permitMutant("newcomers who do not wait jump the queue", "P8", {
    reserve: ({ table, request }, proceed) => {
      if (request.queueMs > 0 || table.line.has(request.id)) return proceed();
      const line = new Map(table.line);
      table.line.clear();
      const answer = proceed();
      table.line = line;
      return answer;
    },
  }),
  permitMutant("the line is last in, first out", "P8", {
    table: class extends PlainPermitTable {
      override aheadInLine(id: string, nowMs: number): number {
        const all = super.aheadInLine("", nowMs);
        return this.line.has(id) ? all - 1 - super.aheadInLine(id, nowMs) : all;
      }
    },
  }),
  permitMutant("a release does not take an id out of the line", "P8", {
    release: ({ table, request }, proceed) => {
      const untilMs = table.line.get(request.id);
      const line = new Map(table.line);
      const freed = proceed();
      if (untilMs !== undefined) table.line = line;
      return freed;
    },
  }),
  permitMutant("who does not want to wait is put in line", "P8", {
    reserve: ({ request }, proceed) => proceed({ ...request, queueMs: request.queueMs || 60_000 }),
  }),
];
