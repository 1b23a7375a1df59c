import { systemRuntime } from "@dt/core";
import { checkKeys, invalidOption } from "@dt/core/internal";
import { errorsOf } from "../outcome/classify.ts";
import { headOf } from "./answer-of.ts";
import { errorsInBody, errorsInError } from "./bodies.ts";
import { type ErrorReport, isRefusal, reportOfError } from "./body-report.ts";
import { fieldsOf, type HeaderSource } from "./fields.ts";
import { isCached, retryAfterOf, serverTimeOf } from "./head.ts";
import { limitsOf, type ReadLimits } from "./limits.ts";
import { policiesOf } from "./policies.ts";
import type { AnyRecord } from "./records.ts";
import { isRefused } from "./report.ts";
import { delayOfDetails, delayOfTrailers } from "./retry-info.ts";
import { limitsFrom, type StatedLimit, Tally } from "./stated-limit.ts";

/** Options of {@link statedLimits}. */
export interface StatedLimitsOptions {
  /**
   * The body of the answer, parsed: it may hold a pause, the limits that were exceeded, or an error inside a 200. A
   * text is parsed where it is JSON of at most 65,536 characters.
   * @default that of the error, where the answer is an error that carries one
   */
  readonly body?: unknown;
  /**
   * What the time is, in milliseconds since 1970, for times of an answer without `Date`. NaN for a clock that is not
   * known.
   * @default that of this machine
   */
  readonly nowMs?: number | undefined;
}

/** What an answer states of the callee's limits. */
export interface StatedLimits {
  /** The limits, in no order. A name may come twice where the answer has it in two forms. */
  readonly limits: readonly StatedLimit[];
  /**
   * For how long the callee asks for no further calls, in milliseconds; less than 366 days. Undefined where it asks for
   * no wait. A refusal without it may be for good: a spend cap, for example.
   */
  readonly retryAfterMs: number | undefined;
  /**
   * True where the callee takes no more: by the status, by fields of a 4xx or of an error without a status, or by an
   * error in the body. Headers alone are no refusal.
   */
  readonly refused: boolean;
  /**
   * How many values were ignored because they make no sense. Such are a negative number, 10^12 and more, a wait of 366
   * days and more, a field of more than 8,192 characters, and any unknown form.
   */
  readonly ignored: number;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof StatedLimitsOptions>(["body", "nowMs"]);

/**
 * Reads the limits that an answer states: how much each allows, how much of it is left, when it is full again, and how
 * long to wait. It knows OpenAI, Azure OpenAI, Anthropic, Gemini, Mistral, the drafts of `RateLimit`, and the fields of
 * `X-RateLimit` in their forms. Nothing in an answer makes it throw.
 * @param answer a response, `Headers`, headers in any form that clients have, or the error of a client or an SDK
 * @param options the body, and the time
 * @throws DtError `DT_INVALID_OPTION`
 * @example
 * const { limits, retryAfterMs } = statedLimits(response, { body: await response.json() });
 * limits.find(({ name }) => name === "tokens")?.remaining; // 59,800 of x-ratelimit-remaining-tokens
 */
export function statedLimits(answer: unknown, options: StatedLimitsOptions = {}): StatedLimits {
  checkKeys("options", options, OPTIONS);
  const { body, nowMs = systemRuntime.wallTimeMs?.() ?? Number.NaN } = options;
  if (typeof nowMs !== "number") throw invalidOption("nowMs", nowMs, "give milliseconds since 1970");
  const tally = new Tally();
  const { status, headers, thrown } = read(tally, () => answered(answer), NO_ANSWER);
  const fields = fieldsOf(headers);
  const timeMs = serverTimeOf(fields, nowMs);
  const reports = read(tally, () => reportsOf(answer, body, timeMs), []);
  const { values, senseless } = isCached(fields) ? NO_LIMITS : limitsOf(fields, timeMs);
  const policies = policiesOf(fields);
  const retryAfter = retryAfterOf(fields, timeMs);
  const malformed = [...policies.malformed, ...retryAfter.malformed];
  tally.ignore(malformed.length + senseless.length + reports.reduce((sum, report) => sum + report.senseless, 0));
  const throttlers = retryAfter.limits.map((name) => ({ name, limit: undefined }));
  const exceeded = [...throttlers, ...reports.flatMap((report) => report.exceeded)];
  const limits = limitsFrom({ read: values, policies: policies.values, exceeded }, tally);
  const saysToWait = retryAfter.there || limits.some(({ remaining = 1 }) => remaining < 1);
  const isThrown = thrown && status === undefined;
  const refused = isRefused(status, saysToWait) || (isThrown && saysToWait) || reports.some((report) => report.refused);
  // With a redirect or a 202 a wait is about something else.
  const isError = refused || status === undefined || status >= 400;
  const byFields = tally.wait(isError ? retryAfter.ms : undefined);
  const byErrors = reports.flatMap((report) => report.waitsMs).flatMap((ms) => tally.wait(ms) ?? []);
  const retryAfterMs = byFields ?? (byErrors.length > 0 ? Math.max(...byErrors) : undefined);
  return { limits, retryAfterMs, refused, ignored: tally.ignored };
}

interface Head {
  readonly status: number | undefined;
  readonly headers: HeaderSource;
  /** True for an error, rather than a response or headers. */
  readonly thrown: boolean;
}

const NO_ANSWER: Head = { status: undefined, headers: undefined, thrown: false };
const NO_LIMITS: ReadLimits = { values: [], senseless: [] };

/** What throws when it is looked at makes no sense. */
function read<Value>(tally: Tally, look: () => Value, otherwise: Value): Value {
  try {
    return look();
  } catch {
    tally.ignore(1);
    return otherwise;
  }
}

/** The first status or headers of an answer, an error, or one of its causes. What has neither may be headers itself. */
function answered(answer: unknown): Head {
  const thrown = answer instanceof Error;
  for (const source of errorsOf({ error: answer })) {
    const head = headOf(source);
    if (head.status !== undefined || head.headers !== undefined) return { ...head, thrown };
  }
  return { ...NO_ANSWER, headers: thrown ? undefined : answer, thrown };
}

/** What the errors in a body report; without one those that the answer carries. An error also reports by itself. */
function reportsOf(answer: unknown, body: unknown, nowMs: number): readonly ErrorReport[] {
  const reports = errorsInBody(body).map((error) => reportOfError(error, nowMs));
  for (const source of errorsOf({ error: answer })) {
    if (body === undefined) reports.push(...errorsInError(source).map((error) => reportOfError(error, nowMs)));
    if (source instanceof Error) reports.push(reportOfThrown(source as unknown as AnyRecord));
  }
  return reports;
}

/** What an error reports by itself. Its own times are not read: clients have them in seconds or in milliseconds. */
function reportOfThrown(error: AnyRecord): ErrorReport {
  const waits = [delayOfTrailers(error), delayOfDetails(error)].filter((ms) => ms !== undefined);
  return { refused: isRefusal(error), waitsMs: waits, exceeded: [], senseless: 0 };
}
