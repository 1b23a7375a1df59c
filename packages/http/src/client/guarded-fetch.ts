import type { Verdict } from "@dt/adaptive";
import { invalidOption } from "@dt/core/internal";
import { BodyClock } from "./body-clock.ts";
import type { Callee } from "./callee.ts";
import type { Callees } from "./callees.ts";
import { Deadline, timeoutError } from "./deadline.ts";
import { type FetchInit, type FetchInput, type FetchRequest, fetchRequest } from "./fetch-request.ts";
import type { HttpClientSettings } from "./options.ts";
import { isRepeatable } from "./repeatable.ts";
import type { SendRight } from "./send-right.ts";
import { failed } from "./verdicts.ts";
import { hasBody, letGo, watchBody } from "./watch-body.ts";

/** `fetch`, behind the guard of its callee. */
export class GuardedFetch {
  readonly #callees: Callees;
  readonly #settings: HttpClientSettings;

  constructor(callees: Callees, settings: HttpClientSettings) {
    this.#callees = callees;
    this.#settings = settings;
  }

  /** One call, with its retries. */
  async call(input: FetchInput, init: FetchInit): Promise<Response> {
    const request = fetchRequest(input, init);
    if (!request.overHttp) return this.#fetch(input, init);
    const callee = this.#callees.of(request);
    const attempt = (): Promise<Response> =>
      callee.enter(request, request.signal, (right) => this.#send(right, callee, request, input, init));
    if (callee.retry === undefined || !isRepeatable(request, request.body, this.#settings.retryUnsafe))
      return attempt();
    let last: Response | undefined;
    try {
      return await callee.retry.run(async () => {
        letGo(last);
        last = undefined;
        last = await attempt();
        return last;
      }, signalOption(request));
    } catch (error) {
      // Given up while it waited for the next attempt.
      letGo(last);
      throw error;
    }
  }

  async #send(
    right: SendRight,
    callee: Callee,
    request: FetchRequest,
    input: FetchInput,
    init: FetchInit,
  ): Promise<Response> {
    const { runtime, responseTimeoutMs, bodyTimeoutMs } = this.#settings;
    const controller = new AbortController();
    let body: BodyClock | undefined;
    const abort = (reason: unknown): void => {
      controller.abort(reason);
      body?.ended(reason);
    };
    const deadline = new Deadline(runtime, request.signal, abort);
    deadline.set(responseTimeoutMs, () => abort(timeoutError("the answer", responseTimeoutMs)));
    right.onLost(abort);
    let response: Response;
    let verdict: Verdict;
    try {
      response = await this.#fetch(input, { ...init, signal: controller.signal });
      if (typeof response !== "object" || response === null)
        throw invalidOption("fetch", response, "give one that resolves to a Response");
      verdict = callee.receiveHead(right, response);
    } catch (error) {
      // Where the classifier threw there is an answer, which nobody will read.
      controller.abort(error);
      deadline.end();
      right.settle(failed(callee, error, request.signal));
      throw error;
    }
    // What the body of a refusal brings says nothing more, and a retry does not wait for it.
    const bodiless = !hasBody(response);
    if (verdict.outcome !== "success" || bodiless) right.settle(verdict);
    if (bodiless) {
      deadline.end();
      return response;
    }
    body = new BodyClock(right, verdict, deadline, this.#settings, abort);
    return watchBody(response, body, bodyTimeoutMs < Number.POSITIVE_INFINITY);
  }

  #fetch(input: FetchInput, init: FetchInit): Promise<Response> {
    // The global one is looked up for each call: it may be replaced, in tests for example.
    return (this.#settings.fetch ?? fetch)(input, init);
  }
}

function signalOption({ signal }: FetchRequest): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
