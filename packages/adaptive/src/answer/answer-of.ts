import { type Ended, errorsOf } from "../outcome/classify.ts";
import type { HeaderSource } from "./fields.ts";
import { statusOutcome } from "./told.ts";

/** The head of an answer, wherever it was found. */
export interface Answer {
  /** Undefined where an error carries headers and no status. */
  readonly status: number | undefined;
  readonly headers: HeaderSource;
  /** The response, or the error of a client or an SDK that carries it. */
  readonly source: unknown;
}

/**
 * The HTTP answer that a call ended with: a response that was returned, or that of an error, as axios, got, undici, ky,
 * Octokit, and the SDKs of AWS, Azure, OpenAI, Anthropic and Vercel have it. Undefined where there is none.
 */
export function answerOf(ended: Ended): Answer | undefined {
  try {
    if (!("error" in ended)) return answerIn(ended.value);
    for (const error of errorsOf(ended)) {
      // Errors that repeat the status of their response do not repeat its headers.
      const known = answerIn(error["response"]) ?? answerIn(error["$response"]) ?? answerIn(error);
      if (known) return { ...known, source: error };
    }
  } catch {
    // What throws when it is looked at tells nothing.
  }
  return undefined;
}

function answerIn(source: unknown): Answer | undefined {
  if (typeof source !== "object" || source === null) return undefined;
  const { status, statusCode, headers, responseHeaders } = source as Readonly<Record<string, unknown>>;
  const known = [status, statusCode].find((each) => statusOutcome(each) !== undefined);
  const fields = headers ?? responseHeaders;
  // A value with a status may be anything; with headers it is a response. An error that carries a status means it.
  if (known === undefined || (fields === undefined && !(source instanceof Error))) return undefined;
  return { status: known as number, headers: fields, source };
}

/** The HTTP status that a call ended with; undefined where there is none. */
export function httpStatusOf(ended: Ended): number | undefined {
  return answerOf(ended)?.status;
}
