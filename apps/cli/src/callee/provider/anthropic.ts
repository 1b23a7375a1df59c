import { type Completion, type Fault, type Form, remaining, sent, TOKEN } from "./form.ts";

const ERROR_TYPES = {
  400: "invalid_request_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
} as const satisfies Record<Fault["status"], string>;

/** Messages, as Anthropic has them. */
export const anthropic: Form = {
  path: "/v1/messages",
  maxima: ["max_tokens"],
  idPrefix: "msg_",
  idHeader: "request-id",
  limitFields: (what, standing, wallMs) => ({
    [`anthropic-ratelimit-${what}-limit`]: String(standing.quota.count),
    [`anthropic-ratelimit-${what}-remaining`]: String(remaining(standing)),
    [`anthropic-ratelimit-${what}-reset`]: rfc3339(wallMs + standing.fullInMs),
  }),
  body: (completion) => ({
    ...headOf(completion),
    content: [{ type: "text", text: TOKEN.repeat(completion.outputTokens) }],
    ...stopOf(completion),
    usage: { input_tokens: completion.promptTokens, output_tokens: completion.outputTokens },
  }),
  stream: (completion) => {
    const event = (type: string, fields: object): string => sent({ type, ...fields }, type);
    // How much comes out is not known when it begins.
    const usage = { input_tokens: completion.promptTokens, output_tokens: 1 };
    const message = { ...headOf(completion), content: [], stop_reason: null, stop_sequence: null, usage };
    const start = event("message_start", { message });
    const block = event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    const delta = { delta: stopOf(completion), usage: { output_tokens: completion.outputTokens } };
    return {
      head: `${start}${block}${event("ping", {})}`,
      token: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: TOKEN } }),
      tail: `${event("content_block_stop", { index: 0 })}${event("message_delta", delta)}${event("message_stop", {})}`,
    };
  },
  fault: ({ status, message }) => ({ type: "error", error: { type: ERROR_TYPES[status], message } }),
};

/** A time as RFC 3339 has it, to a second, rounded up: a client that waits until then does not come too early. */
export function rfc3339(wallMs: number): string {
  return new Date(Math.ceil(wallMs / 1_000) * 1_000).toISOString().replace(".000", "");
}

function headOf({ id, model }: Completion): object {
  return { id, type: "message", role: "assistant", model };
}

function stopOf({ isBounded }: Completion): object {
  return { stop_reason: isBounded ? "max_tokens" : "end_turn", stop_sequence: null };
}
