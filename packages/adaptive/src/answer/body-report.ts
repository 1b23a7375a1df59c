import { fieldsOf } from "./fields.ts";
import { retryAfterOf } from "./head.ts";
import { type AnyRecord, countIn, membersOf, recordOf } from "./records.ts";
import { delayOfDetails } from "./retry-info.ts";

/** One of the limits that an error names as exceeded. */
export interface ExceededLimit {
  /** The limit's name. */
  readonly name: string;
  /** How much it allows; undefined where that is not reported. */
  readonly limit: number | undefined;
}

/** What an error in a body reports. */
export interface ErrorReport {
  /** True where it reports that the callee takes no more. */
  readonly refused: boolean;
  /** The waits that it asks for, in milliseconds; NaN for one that makes no sense. */
  readonly waitsMs: readonly number[];
  /** The limits that it names as exceeded. */
  readonly exceeded: readonly ExceededLimit[];
  /** How many of its values make no sense. */
  readonly senseless: number;
}

/** What an error is called where a machine is to read it. */
const NAMES = ["code", "status", "statusCode", "type", "__type", "reason", "name", "title"];

/** How providers write that there is too much: `rate_limit_error`, `RESOURCE_EXHAUSTED`, `ThrottlingException`, ... */
const TOO_MUCH =
  /rate.?limit|too.?many.?(?:requests|times|calls)|throttl|resource.?exhausted|overloaded|quota.?exceeded|exceeded.{0,20}quota|insufficient.?quota|temporary-reduced-capacity|abnormal-usage-detected/i;

const STATUSES: ReadonlySet<string> = new Set(["429", "503", "529"]);

/** An error reports that early; the rest of a long message is not looked at. */
const LONGEST_MESSAGE = 1_000;

/** No name that matters here is longer. */
const LONGEST_NAME = 64;

/** Reads one error of a body, as `errorsInBody` has it. */
export function reportOfError(error: AnyRecord, nowMs: number): ErrorReport {
  const waits = [error, recordOf(error["data"])].map((record) => retryAfterOf(fieldsOf(kebab(record)), nowMs));
  const delayMs = delayOfDetails(error);
  const { exceeded, senseless } = exceededOf(error);
  return {
    refused: isRefusal(error),
    waitsMs: [...waits.flatMap(({ ms }) => ms ?? []), ...(delayMs === undefined ? [] : [delayMs])],
    exceeded,
    senseless: senseless + waits.reduce((sum, { malformed }) => sum + malformed.length, 0),
  };
}

/** True for an error that reports, by its names or its message, that the callee takes no more. */
export function isRefusal(error: AnyRecord): boolean {
  return NAMES.some((name) => isTooMuch(error[name])) || isTooMuch(error["message"]);
}

function isTooMuch(value: unknown): boolean {
  if (typeof value === "number") return STATUSES.has(String(value));
  if (typeof value !== "string") return false;
  return STATUSES.has(value) || TOO_MUCH.test(value.slice(0, LONGEST_MESSAGE));
}

/** `retry_after`, `retryAfterMs` and their like, as the names of fields. */
function* kebab(record: AnyRecord): Generator<readonly [name: string, value: unknown]> {
  for (const name in record) {
    if (name.length > LONGEST_NAME || !/retry.?after/i.test(name)) continue;
    yield [name.replace(/[A-Z]+/g, "-$&").replace(/[-_]+/g, "-"), record[name]];
  }
}

/** Google's `QuotaFailure`, and the `violated-policies` of problem details. */
function exceededOf(error: AnyRecord): { readonly exceeded: readonly ExceededLimit[]; readonly senseless: number } {
  const exceeded: ExceededLimit[] = [];
  let senseless = 0;
  for (const detail of membersOf(error["details"]))
    for (const violation of membersOf(recordOf(detail)["violations"])) {
      const { quotaId, quotaValue } = recordOf(violation);
      if (typeof quotaId !== "string") continue;
      const limit = quotaValue === undefined ? undefined : countIn(numberOf(quotaValue));
      if (quotaValue !== undefined && limit === undefined) senseless += 1;
      exceeded.push({ name: quotaId, limit });
    }
  for (const name of membersOf(error["violated-policies"]))
    if (typeof name === "string") exceeded.push({ name, limit: undefined });
  return { exceeded, senseless };
}

/** Numbers of 64 bits are texts in the JSON of Google. */
function numberOf(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}
