import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P8: the line. */
export const queueMutants: readonly Mutant[] = [
  permitMutant("nobody waits in line: who comes at the right moment is served", "P8", {
    reserve: ({ request }, proceed) => proceed({ ...request, queueMs: 0 }),
  }),
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
  permitMutant("who asks again goes to the end of the line", "P8", {
    table: class extends PlainPermitTable {
      override lineUp(id: string, untilMs: number): void {
        this.line.delete(id);
        super.lineUp(id, untilMs);
      }
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
  permitMutant("who was granted stays in line", "P8", {
    table: class extends PlainPermitTable {
      override leaveLine(): void {}
    },
  }),
  permitMutant("a place in line is kept for ever", "P8", {
    reserve: ({ request }, proceed) => proceed(request.queueMs > 0 ? { ...request, queueMs: 1e12 } : request),
  }),
  permitMutant("a place in line is lost as soon as it is due", "P8", {
    reserve: ({ request }, proceed) => proceed(request.queueMs > 0 ? { ...request, queueMs: 1e-3 } : request),
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
  permitMutant("everybody in line is told the time of the first", "P8", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const ahead = table.clone().aheadInLine(request.id, nowMs);
      const answer = proceed();
      if (answer.granted > 0) return answer;
      return { ...answer, retryAfterMs: answer.retryAfterMs - ahead * request.cost * request.everyMs };
    },
  }),
  permitMutant("who does not want to wait is put in line", "P8", {
    reserve: ({ request }, proceed) => proceed({ ...request, queueMs: request.queueMs || 60_000 }),
  }),
];
