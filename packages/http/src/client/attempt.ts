import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { Verdict } from "@dt/adaptive";
import { BodyClock } from "./body-clock.ts";
import type { Callee, Head } from "./callee.ts";
import { Deadline, timeoutError } from "./deadline.ts";
import { HeldAnswer } from "./held-answer.ts";
import type { HttpClientSettings } from "./options.ts";
import type { SendRight } from "./send-right.ts";
import type { StableController } from "./stable-controller.ts";
import type { DispatchController, DispatchHandler } from "./undici.ts";
import { bodyOutcome, failed } from "./verdicts.ts";

/** What an attempt has of its request. */
export interface AttemptHome {
  readonly callee: Callee;
  readonly settings: HttpClientSettings;
  /** Whoever made the request. */
  readonly handler: DispatchHandler;
  readonly controller: StableController;
  readonly signal: AbortSignal;
  /** True when a refusal may lead to another attempt. */
  readonly repeatable: boolean;
}

/**
 * One request on its way: hears of its answer, and hands it on unless it is a refusal after which the request may be
 * made again.
 */
export class Attempt implements DispatchHandler {
  readonly #home: AttemptHome;
  readonly #right: SendRight;
  readonly #deadline: Deadline;
  #source: DispatchController | undefined;
  #verdict: Verdict | undefined;
  #body: BodyClock | undefined;
  #held: HeldAnswer | undefined;
  #over = false;
  #resolve: (refusal: Head | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** The head of a refusal that is held; undefined where the answer is handed on. Rejects when there is no answer. */
  readonly answered: Promise<Head | undefined> = new Promise((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(home: AttemptHome, right: SendRight) {
    this.#home = home;
    this.#right = right;
    const { runtime, responseTimeoutMs } = home.settings;
    this.#deadline = new Deadline(runtime, undefined, () => undefined);
    this.#deadline.set(responseTimeoutMs, () => this.abort(timeoutError("the answer", responseTimeoutMs)));
    right.onLost((reason) => this.abort(reason));
  }

  onRequestStart(source: DispatchController): void {
    this.#source = source;
    if (this.#over) source.abort(new DOMException("the request was given up", "AbortError"));
  }

  onRequestUpgrade(source: DispatchController, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    const { handler, controller } = this.#home;
    this.#finish({ outcome: "success" });
    controller.connect(source);
    handler.onRequestUpgrade?.(controller, status, headers, socket);
    this.#resolve(undefined);
  }

  onResponseStart(source: DispatchController, status: number, headers: IncomingHttpHeaders, message?: string): void {
    const { handler, controller, callee, repeatable, settings } = this.#home;
    // An interim answer, such as 103, comes before the real one.
    if (status < 200) {
      handler.onResponseStart?.(controller, status, headers, message);
      return;
    }
    this.#source = source;
    // What a classifier throws becomes the request's error: undici ends a request whose handler throws.
    const verdict = callee.receiveHead(this.#right, { status, headers });
    this.#verdict = verdict;
    // What the body of a refusal brings says nothing more, and a retry does not wait for it.
    if (verdict.outcome !== "success") this.#right.settle(verdict);
    this.#body = new BodyClock(this.#right, verdict, this.#deadline, settings, (error) => this.abort(error));
    this.flow();
    if (repeatable && (verdict.outcome === "overload" || verdict.outcome === "failure")) {
      this.#held = new HeldAnswer(source, status, headers, message);
      this.#resolve({ status, headers });
      return;
    }
    controller.connect(source);
    handler.onResponseStart?.(controller, status, headers, message);
    this.#resolve(undefined);
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    const { handler, controller } = this.#home;
    this.flow();
    if (this.#held) this.#held.data(chunk);
    else handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(_: DispatchController, trailers: IncomingHttpHeaders): void {
    const { handler, controller } = this.#home;
    this.#finish(this.#verdict ?? { outcome: "success" });
    if (this.#held) this.#held.ended(trailers);
    else handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(_: DispatchController | undefined, error: Error): void {
    if (this.#over) return;
    const { handler, controller, callee, signal } = this.#home;
    this.#finish(this.#verdict ? bodyOutcome(this.#verdict, error) : failed(callee, error, signal));
    if (this.#held) this.#held.failed(error);
    else if (this.#verdict) handler.onResponseError?.(controller, error);
    else this.#reject(error);
  }

  /** Whoever reads stopped reading, or goes on; or a piece has come. */
  flow(): void {
    if (this.#over) return;
    if (this.#home.controller.paused) this.#body?.idle();
    else this.#body?.reading();
  }

  /** The refusal that is held is the last word. */
  release(): void {
    const { handler, controller } = this.#home;
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    held.release(handler, controller);
  }

  /** The refusal that is held is not wanted. */
  drop(): void {
    this.#held?.drop();
  }

  /** Its time is up, or its caller has given it up. */
  abort(reason: Error): void {
    if (this.#over) return;
    // A request that stands in a queue of undici's has nothing yet that could be aborted.
    if (this.#source === undefined) this.onResponseError(undefined, reason);
    else this.#source.abort(reason);
  }

  #finish(verdict: Verdict): void {
    this.#over = true;
    this.#deadline.end();
    this.#right.settle(verdict);
  }
}
