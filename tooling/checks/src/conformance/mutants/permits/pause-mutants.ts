import type { Reservation } from "@dt/core";
import type { FreedInstant, PermitRow } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P15: what a pause keeps back. */
export const pauseMutants: readonly Mutant[] = [
  permitMutant("a pause is not recorded", "P15", {
    reserve: ({ request: { pauseMs: _, ...request } }, proceed) => proceed(request),
  }),
  permitMutant("a pause is not told", "P15", {
    reserve: (_, proceed) => {
      const { pausedForMs: __, ...answer }: Reservation = proceed();
      return answer;
    },
  }),
  permitMutant("a later pause takes the place of a longer one", "P15", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const row = table.row();
      const isPaused = (row?.pausedUntilMs ?? 0) > nowMs;
      if (row && isPaused && request.pauseMs) table.putRow({ ...row, pausedUntilMs: undefined, tatMs: nowMs });
      return proceed();
    },
  }),
  permitMutant("a pause leaves the burst that was there before it", "P15", {
    reserve: ({ table, request }, proceed) => {
      const { burst } = request;
      const before = table.row();
      const answer = proceed();
      const after = table.row();
      const pausedUntilMs = after?.pausedUntilMs;
      if (after && pausedUntilMs !== undefined && answer.granted === 0 && burst > 1)
        table.putRow({ ...after, tatMs: Math.max(before?.tatMs ?? 0, pausedUntilMs), pausedUntilMs: undefined });
      return answer;
    },
  }),
  permitMutant("an instant given back is given though it lies before the end of a pause", "P15", {
    table: class extends PlainPermitTable {
      override takeFreed(_fromMs: number, widthMs: number): FreedInstant | undefined {
        return super.takeFreed(this.row()?.lastMs ?? 0, widthMs);
      }
    },
  }),
  permitMutant("a request whose terms are refused pauses the key all the same", "P15", {
    reserve: ({ table, request, nowMs }, proceed) => {
      try {
        return proceed();
      } catch (error) {
        const row = table.row();
        if (row && request.pauseMs) table.putRow({ ...row, pausedUntilMs: nowMs + request.pauseMs });
        throw error;
      }
    },
  }),
  permitMutant("a reset leaves a pause", "P15", {
    reset: ({ table }, proceed) => {
      const { pausedUntilMs } = table.row() ?? {};
      proceed();
      const row = table.row();
      if (row) table.putRow({ ...row, pausedUntilMs } as PermitRow);
    },
  }),
];
