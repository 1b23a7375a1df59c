import { type Ended, errorsOf } from "../outcome/classify.ts";
import type { HeaderSource } from "./fields.ts";
import { type AnyRecord, recordOf } from "./records.ts";
import { statusOutcome } from "./report.ts";

/** The head of an answer, wherever it was found. */
export interface Answer {
  /** Undefined where an error carries headers and no status. */
  readonly status: number | undefined;
  /** The answer's headers. */
  readonly headers: HeaderSource;
  /** The response, or the error of a client or an SDK that carries it. */
  readonly source: unknown;
}

/**
 * The HTTP answer that a call ended with: a response that was returned, or that of an error. It knows the errors of
 * axios, got, undici, ky, Octokit, and the SDKs of AWS, Azure, OpenAI, Anthropic and Vercel. Undefined where there is
 * none.
 * @param ended how the call ended: its value or its error
 * @example const answer = answerOf({ value: await fetch(url) });
 */
export function answerOf(ended: Ended): Answer | undefined {
  try {
    if (!("error" in ended)) return answerIn(ended.value, [ended.value]);
    for (const error of errorsOf(ended)) {
      const answer = answerIn(error, partsOf(error));
      if (answer) return answer;
    }
  } catch {
    // What throws when it is looked at tells nothing.
  }
  return undefined;
}

/** The headers that an error carries, by itself or in its response. */
export function headersOf(error: AnyRecord): HeaderSource {
  return headersIn(partsOf(error));
}

/** The status and the headers that anything carries, by itself or in its response; undefined where one is missing. */
export function headOf(source: AnyRecord): Omit<Answer, "source"> {
  const parts = partsOf(source);
  const headers = headersIn(parts);
  return { status: statusIn(parts, headers !== undefined), headers };
}

/** An error may repeat the status of its response, and most do not repeat the headers: so its response comes first. */
function partsOf(error: AnyRecord): readonly unknown[] {
  return [error["response"], error["$response"], error];
}

function answerIn(source: unknown, parts: readonly unknown[]): Answer | undefined {
  const headers = headersIn(parts);
  const status = statusIn(parts, headers !== undefined);
  // A value with a status may be anything; with headers it is a response. An error that carries a status means it.
  if (status === undefined || (headers === undefined && !(source instanceof Error))) return undefined;
  return { status, headers, source };
}

function headersIn(parts: readonly unknown[]): HeaderSource {
  for (const part of parts) {
    const { headers, responseHeaders } = recordOf(part);
    if (headers !== undefined || responseHeaders !== undefined) return headers ?? responseHeaders;
  }
  return undefined;
}

/** Kubernetes, Cosmos DB, SendGrid and others call it `code`. Without headers, such a number may be anything. */
function statusIn(parts: readonly unknown[], withHeaders: boolean): number | undefined {
  const statuses = parts.flatMap((part) => {
    const { status, statusCode, code } = recordOf(part);
    return withHeaders ? [status, statusCode, code] : [status, statusCode];
  });
  return statuses.find((each): each is number => statusOutcome(each) !== undefined);
}

/**
 * The HTTP status that a call ended with; undefined where there is none.
 * @param ended how the call ended: its value or its error
 * @example const status = httpStatusOf({ error });
 */
export function httpStatusOf(ended: Ended): number | undefined {
  return answerOf(ended)?.status;
}
