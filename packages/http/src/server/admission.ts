import type { Field } from "./fields.ts";
import type { RequestFacts } from "./request-facts.ts";

/** What was decided on a request. */
export type Admission = Admitted | Refused;

/** A request that may be worked on. */
export interface Admitted {
  /** Always true: the request may be worked on. */
  readonly allowed: true;
  /** Headers for its answer. */
  readonly fields: readonly Field[];
  /**
   * To be called once, when the answer was sent, with its status; or without one, when the connection was closed
   * before.
   * @param status the status code of the answer
   */
  done(status?: number): void;
}

/** A request that is to be answered at once, with this. */
export interface Refused {
  /** Always false: the request is to be answered with a refusal. */
  readonly allowed: false;
  /** 429: who asks has used up a policy. 503: the server has too much. */
  readonly status: 429 | 503;
  /** Headers, with the `Content-Type` of the body. */
  readonly fields: readonly Field[];
  /** Problem details, RFC 9457. */
  readonly body: string;
}

/** What adapters need of a limit. */
export interface Gate<Raw> {
  admit(request: RequestFacts<Raw>, signal?: AbortSignal): Promise<Admission>;
}
