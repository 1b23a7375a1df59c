import type { ServerResponse } from "node:http";
import type { Runtime } from "@dt/core";
import type { AdmittedCall } from "@dt-tooling/backends/callee/call-limits";
import { cut, json } from "../json.ts";
import { type Reply, retryAfter } from "../reply.ts";
import type { Completion, Form } from "./form.ts";
import { Production } from "./production.ts";

/** A call that was admitted, and how it is answered. */
export interface ProviderReplySettings {
  readonly runtime: Runtime;
  readonly form: Form;
  readonly call: AdmittedCall;
  readonly completion: Completion;
  /** Whether the answer comes as server-sent events. */
  readonly streams: boolean;
  /** How long each token of a stream takes, in milliseconds. */
  readonly tokenTakesMs: number;
}

/**
 * The answers of a provider to one call. With each the call ends, and its output counts: all of it, what was made
 * before a client left or a stream was cut, or none where nothing was made.
 */
export class ProviderReply implements Reply {
  readonly #response: ServerResponse;
  readonly #settings: ProviderReplySettings;
  #production: Production | undefined;

  constructor(response: ServerResponse, settings: ProviderReplySettings) {
    this.#response = response;
    this.#settings = settings;
  }

  accept(complete: () => void): Promise<void> | undefined {
    const { form, completion, streams } = this.#settings;
    if (streams)
      return this.#stream(completion.outputTokens, (tail) => {
        complete();
        this.#response.end(tail);
      });
    this.#end(completion.outputTokens);
    complete();
    json(this.#response, 200, form.body(completion));
    return undefined;
  }

  throttle(retryAfterMs: number): void {
    this.#response.setHeader("Retry-After", retryAfter(retryAfterMs));
    this.#fault(429, "throttled, as the options state");
  }

  fail(): void {
    this.#fault(500, "failed, as the options state");
  }

  shed(): void {
    this.#response.setHeader("Retry-After", "1");
    this.#fault(503, "too many requests wait for a worker");
  }

  cut(): Promise<void> | undefined {
    const { completion, streams } = this.#settings;
    if (streams)
      return this.#stream(Math.ceil(completion.outputTokens / 2), (tail) => {
        this.#response.write(tail.slice(0, tail.length / 2), () => this.#response.destroy());
      });
    this.#end(completion.outputTokens);
    cut(this.#response);
    return undefined;
  }

  abandon(): void {
    this.#production?.stop();
    this.#end(this.#production?.produced ?? 0);
  }

  /** @param finish sends what follows the last token */
  #stream(tokens: number, finish: (tail: string) => void): Promise<void> {
    const { runtime, form, completion, tokenTakesMs } = this.#settings;
    const { head, token, tail } = form.stream(completion);
    this.#response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache" });
    this.#response.write(head);
    return new Promise((resolve) => {
      const made = (count: number): void => {
        this.#response.write(token.repeat(count));
      };
      const ended = (): void => {
        this.#end(tokens);
        finish(tail);
        resolve();
      };
      this.#production = new Production(runtime, { tokens, tokenTakesMs, made, ended });
    });
  }

  #fault(status: 429 | 500 | 503, message: string): void {
    this.#end(0);
    json(this.#response, status, this.#settings.form.fault({ status, message }));
  }

  #end(outputTokens: number): void {
    const { call, runtime } = this.#settings;
    call.end(outputTokens, runtime.now());
  }
}
