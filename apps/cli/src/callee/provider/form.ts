import type { LimitedBy, QuotaStanding } from "@dt-tooling/backends/callee/call-limits";

/** What is answered to a call. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  /** When it came, in seconds since 1970. */
  readonly createdSeconds: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Whether the call allowed no more output. */
  readonly isBounded: boolean;
  /** Whether events of OpenAI's form end with the usage. */
  readonly includeUsage: boolean;
}

/** A refusal or an error, before it has a form. */
export interface Fault {
  readonly status: 400 | 404 | 413 | 429 | 500 | 503;
  readonly message: string;
  /** The field of the request that is wrong. */
  readonly field?: string | undefined;
  /** The limit that refused the call. */
  readonly limitedBy?: LimitedBy | undefined;
}

/** The events of a stream, each as it is sent. */
export interface StreamForm {
  readonly head: string;
  readonly token: string;
  readonly tail: string;
}

/** How one provider writes what it answers. */
export interface Form {
  readonly path: string;
  /** The fields of a request that state the most output; the first that is there counts. */
  readonly maxima: readonly string[];
  /** Begins the ids of its answers. */
  readonly idPrefix: string;
  /** The header that carries the id. */
  readonly idHeader: string;
  /** Headers that report how a limit stands. @param wallMs milliseconds since 1970 */
  limitFields(what: LimitedBy, standing: QuotaStanding, wallMs: number): Readonly<Record<string, string>>;
  body(completion: Completion): object;
  stream(completion: Completion): StreamForm;
  fault(fault: Fault): object;
}

/** One token of output: four characters, as many as count for a token of a prompt. */
export const TOKEN = "bla ";

/** How much of a quota is left. */
export function remaining({ quota, used }: QuotaStanding): number {
  return Math.max(0, quota.count - used);
}

/** A server-sent event. */
export function sent(data: object | string, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}
