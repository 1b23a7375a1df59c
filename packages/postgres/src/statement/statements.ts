import type {
  BucketLimit,
  BucketRef,
  BucketRequest,
  Farewell,
  LimitTarget,
  MemberRef,
  PermitRelease,
  PermitRequest,
  Registration,
  RepairOptions,
  Report,
  SpendRequest,
} from "@dt/core";
import { type LimitRecordRow, PAGE_SIZE, readBucketName } from "@dt/core/ledger";
import type { Topic } from "@dt/core/store";
import bucketSql from "../sql/read-only/bucket.sql";
import budgetSql from "../sql/read-only/budget.sql";
import limitSql from "../sql/read-only/limit.sql";
import listSql from "../sql/read-only/list.sql";
import listBucketsSql from "../sql/read-only/list-buckets.sql";
import permitsSql from "../sql/read-only/permits.sql";
import { literal, type Parameter } from "./literal.ts";

/** What a statement says besides its arguments. */
export interface Delivery {
  /** Quoted. */
  readonly schema: string;
  /** Longest wait for the lock of the group or key, in milliseconds; at least 1. */
  readonly waitMs: number;
  /** Where hints go, or null. */
  readonly channel: string | null;
}

/** What a statement locks. */
type Locked = Topic | { readonly kind: "budget"; readonly name: string };

export interface Statement {
  readonly text: (delivery: Delivery) => string;
  /** What it locks, and gives hints of unless it is a budget; absent for one that only looks. */
  readonly locks?: Locked;
}

/** The statements, with parameters in the order that the headers of the `.sql` files give. */
export function register(group: string, member: Registration): Statement {
  const { incarnation, id, seq, rejoin, claim, max, intervalMs, staleAfterMs, learningMs, level } = member;
  const { resumeWithinMs, observedMs, clockErrorMs = 0, stored = false } = member;
  return change("group", group, "dt_register", ({ waitMs, channel }) => [
    ...[incarnation, id, seq, rejoin, claim, max, intervalMs, staleAfterMs, learningMs, level],
    ...[resumeWithinMs, observedMs, waitMs, channel, clockErrorMs, ...demandOf(member)],
    ...[...slotsOf(member), stored],
  ]);
}

export function sync(group: string, { incarnation }: MemberRef, report: Report): Statement {
  const {
    seq,
    generation,
    members,
    held,
    max,
    level,
    observedMs = 0,
    activity,
    pauseMs = null,
    stored = false,
  } = report;
  return change("group", group, "dt_sync", ({ waitMs, channel }) => [
    ...[incarnation, seq, generation, members, held, max, level, observedMs, waitMs, channel],
    ...[...useOf(report), ...demandOf(report), activity?.used ?? null, activity?.waiting ?? null],
    ...slotsOf(report),
    ...[pauseMs, stored],
  ]);
}

export function deregister(group: string, { incarnation }: MemberRef, farewell: Farewell): Statement {
  const { level, observedMs = 0 } = farewell;
  return change("group", group, "dt_deregister", ({ waitMs, channel }) => [
    ...[incarnation, level, observedMs, waitMs, channel, ...useOf(farewell)],
  ]);
}

export function inspect(group: string): Statement {
  return { text: ({ schema }) => call(schema, "dt_inspect", [group]) };
}

export function repair(group: string, { reset = false }: RepairOptions): Statement {
  return change("group", group, "dt_repair", ({ waitMs, channel }) => [reset, waitMs, channel]);
}

const TABLE_OF_NAMES = { groups: "dt_group", keys: "dt_permit_key", budgets: "dt_budget" } as const;

/** The names of a page, from after this one on. */
export function list(what: keyof typeof TABLE_OF_NAMES, after: string): Statement {
  const values = { table: TABLE_OF_NAMES[what], after: literal(after), count: String(PAGE_SIZE) };
  return { text: ({ schema }) => filled(listSql, { schema, ...values }) };
}

export function reserve(key: string, request: PermitRequest): Statement {
  const { id, count, cost, everyMs, burst, maxReserved, keepMs, queueMs, terms = null, formerTerms = null } = request;
  const { pauseMs = 0, stored = false } = request;
  return change("permits", key, "dt_reserve", ({ waitMs }) => [
    ...[id, count, cost, everyMs, burst, maxReserved, keepMs, queueMs, waitMs, terms, formerTerms, pauseMs],
    stored,
  ]);
}

export function release(key: string, { id, keep }: PermitRelease): Statement {
  // No reservation has more instants than an integer can count.
  return change("permits", key, "dt_release", ({ waitMs, channel }) => [
    id,
    Math.min(keep, 2 ** 31 - 1),
    waitMs,
    channel,
  ]);
}

export function reset(key: string): Statement {
  return change("permits", key, "dt_permit_reset", ({ waitMs, channel }) => [waitMs, channel]);
}

/** What is known of a key of permits. */
export function inspectPermits(key: string): Statement {
  return { text: ({ schema }) => filled(permitsSql, { schema, key: literal(key) }) };
}

export function spend(budget: string, request: SpendRequest): Statement {
  const { limits, keeps, terms = null, formerTerms = null, settle = [], stated = [], pauseMs = 0, reserve } = request;
  const { stored = false } = request;
  return change("budget", budget, "dt_spend", ({ waitMs }) => [
    ...[limits.map(({ name }) => name), limits.map(({ max }) => max), limits.map(({ windowMs }) => windowMs)],
    ...[limits.map(({ burst }) => burst), keeps, terms, formerTerms],
    ...[settle.map(({ id }) => id), settle.flatMap(({ costs }) => costs), settle.map(({ measured }) => measured)],
    ...[
      stated.map(({ limit }) => limit),
      stated.map(({ rest }) => rest),
      stated.map(({ resetMs }) => resetMs),
      pauseMs,
    ],
    ...[reserve?.id ?? null, reserve?.costs ?? [], reserve?.tier ?? null, reserve?.maxWaitMs ?? null],
    ...[reserve?.keepMs ?? null, reserve?.force ?? false, waitMs, stored],
  ]);
}

export function resetBudget(budget: string): Statement {
  return change("budget", budget, "dt_budget_reset", ({ waitMs }) => [waitMs]);
}

/** What is known of a budget. */
export function inspectBudget(budget: string): Statement {
  return { text: ({ schema }) => filled(budgetSql, { schema, budget: literal(budget) }) };
}

/** A call for many buckets, which wait for no others of this process: it does not ask twice at once for the same. */
export function take(requests: readonly BucketRequest[]): Statement {
  const json = JSON.stringify(requests.map((request, index) => ({ place: index + 1, ...partsOf(request) })));
  return { text: ({ schema, waitMs }) => call(schema, "dt_take", [json, waitMs]) };
}

/** A request by the names of the type dt_bucket_request. */
function partsOf(request: BucketRequest): object {
  const { name, key, limit, formerLimit, stored, take, hold, renew, renewMs, release, hits } = request;
  return {
    ...{ name, key, stored, renew, renew_ms: renewMs, release, hits_window_ms: hits?.windowMs, hits_by: hits?.by },
    ...(limit && { max: limit.max, window_ms: limit.windowMs, burst: limit.burst, concurrent: limit.concurrent ?? 0 }),
    ...(formerLimit && { former: numbersOf(formerLimit) }),
    ...(take && {
      cost: take.cost,
      max_wait_ms: take.maxWaitMs,
      ahead: take.ahead,
      ahead_within_ms: take.aheadWithinMs,
    }),
    ...(take?.slot && { slot_id: take.slot.id, slot_ms: take.slot.forMs }),
    ...(hold && { hold_id: hold.id, seq: hold.seq, spent: hold.spent, keep: hold.keep, for_ms: hold.forMs }),
  };
}

function numbersOf({ max, windowMs, burst, concurrent = 0 }: BucketLimit): readonly number[] {
  return [max, windowMs, burst, concurrent];
}

export function resetBucket({ name, key }: BucketRef): Statement {
  return { text: ({ schema, waitMs }) => call(schema, "dt_bucket_reset", [name, key, waitMs]) };
}

/** What is known of a bucket. */
export function inspectBucket({ name, key }: BucketRef): Statement {
  return { text: ({ schema }) => filled(bucketSql, { schema, name: literal(name), key: literal(key) }) };
}

/** The buckets of a page, from after this one on. */
export function listBuckets(after: string): Statement {
  const { name, key } = readBucketName(after) ?? { name: "", key: "" };
  const values = { name: literal(name), key: literal(key), count: String(PAGE_SIZE) };
  return { text: ({ schema }) => filled(listBucketsSql, { schema, ...values }) };
}

/** The record of a limit. */
export function readLimit({ kind, name, key = "" }: LimitTarget): Statement {
  const values = { kind: literal(kind), name: literal(name), key: literal(key) };
  return { text: ({ schema }) => filled(limitSql, { schema, ...values }) };
}

export function writeLimit({ kind, name, key = "" }: LimitTarget, from: number | null, row: LimitRecordRow): Statement {
  const { revision, values, untilMs, history } = row;
  const written = [kind, name, key, from, revision, values, untilMs, history];
  return { text: ({ schema, waitMs }) => call(schema, "dt_limit_write", [...written, waitMs]) };
}

/** A call of one of the store's functions, which locks what it is about; that is its first parameter. */
function change(
  kind: Locked["kind"],
  name: string,
  functionName: string,
  parameters: (delivery: Delivery) => readonly Parameter[],
): Statement {
  const text = (delivery: Delivery): string => call(delivery.schema, functionName, [name, ...parameters(delivery)]);
  return { text, locks: { kind, name } };
}

/** The epoch and the tokens used in it, or nulls. */
function useOf({ use }: Pick<Report, "use">): readonly Parameter[] {
  return [use?.epoch ?? null, use?.used ?? null];
}

/** What it wants and its sync interval, or nulls. */
function demandOf({ demand }: Pick<Report, "demand">): readonly Parameter[] {
  return [demand?.want ?? null, demand?.syncMs ?? null];
}

/** What a member of a semaphore reports of its callers, or nulls. */
function slotsOf({ demand }: Pick<Report, "demand">): readonly Parameter[] {
  const { waiting = null, head = null, tookOffer = null } = demand?.slots ?? {};
  return [waiting, head, tookOffer];
}

/** A call of one of the store's functions. @param schema quoted */
function call(schema: string, name: string, parameters: readonly Parameter[]): string {
  return `SELECT * FROM ${schema}.${name}(${parameters.map(literal).join(", ")})`;
}

/** The statement without its header, with values in their places: in one go, since a value may look like a place. */
function filled(sql: string, values: Readonly<Record<string, string>>): string {
  return sql.replaceAll(/^--.*\n/gm, "").replaceAll(/\{(\w+)\}/g, (_, name) => values[name as string] as string);
}
