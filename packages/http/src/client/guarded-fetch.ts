import type { Verdict } from "@dt/adaptive";
import type { Callee } from "./callee.ts";
import type { Callees } from "./callees.ts";
import { Deadline } from "./deadline.ts";
import { type FetchInit, type FetchInput, type FetchRequest, fetchRequest } from "./fetch-request.ts";
import type { HttpClientSettings } from "./options.ts";
import { isRepeatable } from "./repeatable.ts";
import type { Turn } from "./turn.ts";
import { bodyOutcome, failed } from "./verdicts.ts";
import { watchBody } from "./watch-body.ts";

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
      callee.enter(request, request.signal, (turn) => this.#send(turn, callee, request, input, init));
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
    turn: Turn,
    callee: Callee,
    request: FetchRequest,
    input: FetchInput,
    init: FetchInit,
  ): Promise<Response> {
    const { runtime, timeoutMs, bodyTimeoutMs } = this.#settings;
    const controller = new AbortController();
    let bodyEnded: ((error: unknown) => void) | undefined;
    const deadline = new Deadline(runtime, request.signal, (reason) => {
      controller.abort(reason);
      bodyEnded?.(reason);
    });
    deadline.set(timeoutMs, "the answer");
    let response: Response;
    let verdict: Verdict;
    try {
      response = await this.#fetch(input, { ...init, signal: controller.signal });
      verdict = callee.heard(turn, response);
    } catch (error) {
      // Where the classifier threw there is an answer, which nobody will read.
      controller.abort(error);
      deadline.end();
      turn.settle(failed(callee, error, request.signal));
      throw error;
    }
    // What the body of a refusal brings says nothing more, and a retry does not wait for it.
    const bodiless = response.body === null || response.headers.get("content-length") === "0";
    if (verdict.outcome !== "success" || bodiless) turn.settle(verdict);
    if (bodiless) {
      deadline.end();
      return response;
    }
    bodyEnded = (error) => {
      deadline.end();
      turn.settle(bodyOutcome(verdict, error));
    };
    deadline.set(bodyTimeoutMs, "the body of the answer");
    return watchBody(response, bodyEnded);
  }

  #fetch(input: FetchInput, init: FetchInit): Promise<Response> {
    // The global one is looked up for each call: it may be replaced, in tests for example.
    return (this.#settings.fetch ?? fetch)(input, init);
  }
}

function signalOption({ signal }: FetchRequest): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Frees the connection of an answer that nobody will read. */
function letGo(response: Response | undefined): void {
  // It may have failed already, which nobody wants to know.
  if (response && !response.bodyUsed) response.body?.cancel().catch(() => undefined);
}
