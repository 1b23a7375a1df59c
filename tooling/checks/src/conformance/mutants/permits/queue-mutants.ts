import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P8: the queue. */
export const queueMutants: readonly Mutant[] = [
  permitMutant("newcomers who do not wait jump the queue", "P8", {
    reserve: ({ table, request }, proceed) => {
      if (request.queueMs > 0 || table.queue.has(request.id)) return proceed();
      const line = new Map(table.queue);
      table.queue.clear();
      const answer = proceed();
      table.queue = line;
      return answer;
    },
  }),
  permitMutant("the queue is last in, first out", "P8", {
    table: class extends PlainPermitTable {
      override aheadInQueue(id: string, nowMs: number): number {
        const all = super.aheadInQueue("", nowMs);
        return this.queue.has(id) ? all - 1 - super.aheadInQueue(id, nowMs) : all;
      }
    },
  }),
  permitMutant("a release does not take an id out of the queue", "P8", {
    release: ({ table, request }, proceed) => {
      const untilMs = table.queue.get(request.id);
      const line = new Map(table.queue);
      const freed = proceed();
      if (untilMs !== undefined) table.queue = line;
      return freed;
    },
  }),
  permitMutant("who does not want to wait is put in the queue", "P8", {
    reserve: ({ request }, proceed) => proceed({ ...request, queueMs: request.queueMs || 60_000 }),
  }),
];
