import type { IncomingMessage, ServerResponse } from "node:http";
import type { Runtime } from "@dt/core";
import { type CallBooks, CallLimits, type RefusedCall } from "@dt-tooling/backends/callee/call-limits";
import { drawOutput } from "@dt-tooling/backends/callee/output-tokens";
import type { Quota } from "@dt-tooling/backends/callee/sliding-quota";
import { json } from "../json.ts";
import { type Reply, retryAfter } from "../reply.ts";
import type { ProviderSettings } from "../settings.ts";
import { anthropic } from "./anthropic.ts";
import { type Ask, BadAsk, readAsk } from "./ask.ts";
import type { Completion, Form } from "./form.ts";
import { goDuration, openai } from "./openai.ts";
import { ProviderReply } from "./provider-reply.ts";
import { readBody } from "./read-body.ts";

const FORMS: readonly Form[] = [openai, anthropic];

/** What the callee does with a call, once it is known to be one. */
export interface CallHandler {
  /** A call came: it is refused, or worked on. */
  received(): void;
  work(reply: Reply): void;
}

/** A stand-in of a provider of language models: it limits requests and tokens, and answers with as many tokens. */
export class Provider {
  readonly #settings: ProviderSettings;
  readonly #runtime: Runtime;
  readonly #limits: CallLimits;
  #calls = 0;

  /** @param requests the limit of requests, if there is one */
  constructor(settings: ProviderSettings, requests: Quota | undefined, runtime: Runtime) {
    this.#settings = settings;
    this.#runtime = runtime;
    this.#limits = new CallLimits({ requests, tokens: settings.tokens });
  }

  books(): CallBooks {
    return this.#limits.books(this.#runtime.now());
  }

  /** Answers what is no call, or a call that is refused, and hands on the others. */
  async serve(request: IncomingMessage, response: ServerResponse, handler: CallHandler): Promise<void> {
    const path = request.url?.split("?")[0];
    const form = FORMS.find((known) => known.path === path && request.method === "POST");
    if (form === undefined) {
      request.resume();
      const paths = FORMS.map((known) => known.path).join(" or ");
      json(response, 404, openai.fault({ status: 404, message: `give POST ${paths}` }));
      return;
    }
    const ask = await this.#read(request, response, form);
    if (ask !== undefined && !response.destroyed) this.#admit(ask, response, form, handler);
  }

  /** Undefined where the client left, or where it was answered that no call can be made of its request. */
  async #read(request: IncomingMessage, response: ServerResponse, form: Form): Promise<Ask | undefined> {
    try {
      const body = await readBody(request);
      const ask = body === undefined ? undefined : readAsk(body, request.headers, form.maxima);
      if (ask?.stream && !this.#settings.streams)
        throw new BadAsk(400, "dt callee was started without --stream", "stream");
      return ask;
    } catch (error) {
      if (!(error instanceof BadAsk)) throw error;
      const { status, message, field } = error;
      json(response, status, form.fault({ status, message, field }));
      return undefined;
    }
  }

  #admit(ask: Ask, response: ServerResponse, form: Form, { received, work }: CallHandler): void {
    received();
    const id = `${form.idPrefix}${++this.#calls}`;
    response.setHeader(form.idHeader, id);
    const call = this.#limits.enter(ask.promptTokens, this.#runtime.now());
    this.#reportLimits(response, form);
    if (!call.admitted) {
      refuse(response, form, ask, call);
      return;
    }
    const { tokenTakesMs } = this.#settings;
    const completion = this.#complete(id, ask);
    const { stream: streams } = ask;
    work(new ProviderReply(response, { runtime: this.#runtime, form, call, completion, streams, tokenTakesMs }));
  }

  #complete(id: string, { model, promptTokens, mostOutput, output, includeUsage }: Ask): Completion {
    const drawn = output ?? drawOutput(mostOutput, () => this.#runtime.random());
    const outputTokens = Math.min(mostOutput, drawn);
    const createdSeconds = Math.floor(this.#wallMs() / 1_000);
    const isBounded = outputTokens === mostOutput;
    return { id, model, createdSeconds, promptTokens, outputTokens, isBounded, includeUsage };
  }

  #reportLimits(response: ServerResponse, form: Form): void {
    for (const what of ["requests", "tokens"] as const) {
      const standing = this.#limits.standing(what, this.#runtime.now());
      if (standing === undefined) continue;
      const fields = form.limitFields(what, standing, this.#wallMs());
      for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
    }
  }

  #wallMs(): number {
    return this.#runtime.wallTimeMs?.() ?? this.#runtime.now();
  }
}

function refuse(response: ServerResponse, form: Form, ask: Ask, { limitedBy, waitMs }: RefusedCall): void {
  let message = `the limit of ${limitedBy} is used up: come again in ${goDuration(waitMs)}`;
  if (Number.isFinite(waitMs)) response.setHeader("Retry-After", retryAfter(waitMs));
  else {
    // To come again is of no use, and both SDKs obey this.
    response.setHeader("x-should-retry", "false");
    message = `a prompt of ${ask.promptTokens} tokens is more than the whole limit of ${limitedBy}`;
  }
  json(response, 429, form.fault({ status: 429, message, limitedBy }));
}
