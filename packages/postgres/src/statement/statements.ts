import type { Farewell, MemberRef, Registration, Report } from "@dt/core";
import { literal, type Parameter } from "./literal.ts";

/** What every mutation says besides its own arguments. */
export interface Delivery {
  /** Quoted. */
  readonly schema: string;
  /** Longest wait for the lock of the group or key, in milliseconds; at least 1. */
  readonly waitMs: number;
  /** Where hints go, or null. */
  readonly channel: string | null;
}

/** The statements, with parameters in the order that the headers of the `.sql` files give. */
export function registerStatement(group: string, member: Registration, { schema, waitMs, channel }: Delivery): string {
  return call(schema, "dt_register", [
    group,
    member.incarnation,
    member.id,
    member.seq,
    member.rejoin,
    member.claim,
    member.max,
    member.intervalMs,
    member.staleAfterMs,
    member.learningMs,
    member.level,
    member.resumeWithinMs,
    member.observedMs,
    waitMs,
    channel,
    member.clockErrorMs ?? 0,
    ...demandOf(member),
  ]);
}

export function syncStatement(group: string, member: MemberRef, report: Report, delivery: Delivery): string {
  const { schema, waitMs, channel } = delivery;
  return call(schema, "dt_sync", [
    group,
    member.incarnation,
    report.seq,
    report.generation,
    report.poolSize,
    report.held,
    report.max,
    report.level,
    report.observedMs ?? 0,
    waitMs,
    channel,
    ...useOf(report),
    ...demandOf(report),
    ...activityOf(report),
  ]);
}

export function deregisterStatement(group: string, member: MemberRef, farewell: Farewell, delivery: Delivery): string {
  const { schema, waitMs, channel } = delivery;
  return call(schema, "dt_deregister", [
    group,
    member.incarnation,
    farewell.level,
    farewell.observedMs ?? 0,
    waitMs,
    channel,
    ...useOf(farewell),
  ]);
}

/** The epoch and the tokens used in it, or nulls. */
function useOf({ use }: Pick<Report, "use">): readonly Parameter[] {
  return [use?.epoch ?? null, use?.used ?? null];
}

/** What it wants and its sync interval, or nulls. */
function demandOf({ demand }: Pick<Report, "demand">): readonly Parameter[] {
  return [demand?.want ?? null, demand?.syncMs ?? null];
}

/** What it does, or nulls. */
function activityOf({ activity }: Report): readonly Parameter[] {
  return [activity?.used ?? null, activity?.waiting ?? null];
}

export function inspectStatement(group: string, schema: string): string {
  return call(schema, "dt_inspect", [group]);
}

export function repairStatement(group: string, reset: boolean, { schema, waitMs, channel }: Delivery): string {
  return call(schema, "dt_repair", [group, reset, waitMs, channel]);
}

/** A call of one of the store's functions. @param schema quoted */
export function call(schema: string, name: string, parameters: readonly Parameter[]): string {
  return `SELECT * FROM ${schema}.${name}(${parameters.map(literal).join(", ")})`;
}
