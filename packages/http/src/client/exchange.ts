import { Attempt, type AttemptHome } from "./attempt.ts";
import type { Head } from "./callee.ts";
import type { Callees } from "./callees.ts";
import type { HttpClientSettings, OutgoingRequest } from "./options.ts";
import { isRepeatable } from "./repeatable.ts";
import { StableController } from "./stable-controller.ts";
import type { Dispatch, DispatchHandler } from "./undici.ts";
import { type DispatchOptions, undiciRequest } from "./undici-request.ts";

/** One request of undici's, with its attempts. */
export class Exchange {
  readonly #dispatch: Dispatch;
  readonly #options: DispatchOptions;
  readonly #request: OutgoingRequest;
  readonly #home: AttemptHome;
  #last: Attempt | undefined;

  constructor(
    callees: Callees,
    settings: HttpClientSettings,
    dispatch: Dispatch,
    options: DispatchOptions,
    handler: DispatchHandler,
  ) {
    this.#dispatch = dispatch;
    this.#options = options;
    this.#request = undiciRequest(options);
    const callee = callees.of(this.#request);
    const given = new AbortController();
    this.#home = {
      callee,
      settings,
      handler,
      controller: new StableController(
        (reason) => {
          given.abort(reason);
          this.#last?.abort(reason);
        },
        () => this.#last?.flow(),
      ),
      signal: given.signal,
      repeatable: callee.retry !== undefined && isRepeatable(this.#request, options.body, settings.retryUnsafe),
    };
  }

  /** Begins; true, as undici wants it said, since nobody has to wait for a drain. */
  start(): boolean {
    const { handler, controller } = this.#home;
    handler.onRequestStart?.(controller, {});
    void this.#run();
    return true;
  }

  /** Never rejects: the handler hears of every error. */
  async #run(): Promise<void> {
    const { handler, controller, callee, signal, repeatable } = this.#home;
    try {
      if (repeatable && callee.retry) await callee.retry.run(() => this.#attempt(), { signal });
      else await this.#attempt();
      this.#last?.release();
    } catch (error) {
      this.#last?.drop();
      handler.onResponseError?.(controller, error as Error);
    }
  }

  async #attempt(): Promise<Head | undefined> {
    this.#last?.drop();
    this.#last = undefined;
    const { callee, signal } = this.#home;
    return callee.enter(this.#request, signal, (right) => {
      const attempt = new Attempt(this.#home, right);
      this.#last = attempt;
      try {
        this.#dispatch(this.#options, attempt);
      } catch (error) {
        attempt.onResponseError(undefined, error as Error);
      }
      return attempt.answered;
    });
  }
}
