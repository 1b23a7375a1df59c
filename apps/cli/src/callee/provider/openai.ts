import { type Completion, type Fault, type Form, remaining, sent, TOKEN } from "./form.ts";

const ERROR_TYPES = {
  400: "invalid_request_error",
  404: "invalid_request_error",
  413: "invalid_request_error",
  429: "requests",
  500: "server_error",
  503: "server_error",
} as const satisfies Record<Fault["status"], string>;

/** Chat completions, as OpenAI has them. */
export const openai: Form = {
  path: "/v1/chat/completions",
  maxima: ["max_completion_tokens", "max_tokens"],
  idPrefix: "chatcmpl-",
  idHeader: "x-request-id",
  limitFields: (what, standing) => ({
    [`x-ratelimit-limit-${what}`]: String(standing.quota.count),
    [`x-ratelimit-remaining-${what}`]: String(remaining(standing)),
    [`x-ratelimit-reset-${what}`]: goDuration(standing.fullInMs),
  }),
  body: (completion) => {
    const message = { role: "assistant", content: TOKEN.repeat(completion.outputTokens), refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(completion) };
    return { ...headOf(completion, "chat.completion"), choices: [choice], usage: usageOf(completion) };
  },
  stream: (completion) => {
    const chunk = (delta: object, finish: string | null): string =>
      sent({
        ...headOf(completion, "chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...(completion.includeUsage && { usage: null }),
      });
    const usage = { ...headOf(completion, "chat.completion.chunk"), choices: [], usage: usageOf(completion) };
    const end = chunk({}, finishOf(completion));
    return {
      head: chunk({ role: "assistant", content: "", refusal: null }, null),
      token: chunk({ content: TOKEN }, null),
      tail: `${end}${completion.includeUsage ? sent(usage) : ""}${sent("[DONE]")}`,
    };
  },
  fault: ({ status, message, field, limitedBy }) => ({
    error: {
      message,
      type: limitedBy ?? ERROR_TYPES[status],
      param: field ?? null,
      code: status === 429 ? "rate_limit_exceeded" : null,
    },
  }),
};

/**
 * A time as Go writes it, and so OpenAI: `12ms`, `1s`, `8.64s`, `6m0s`, `1h0m0s`. Rounded up to a millisecond.
 */
export function goDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole === 0) return "0s";
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = `${(whole % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

function headOf({ id, createdSeconds, model }: Completion, object: string): object {
  return { id, object, created: createdSeconds, model };
}

function finishOf({ isBounded }: Completion): string {
  return isBounded ? "length" : "stop";
}

function usageOf({ promptTokens, outputTokens }: Completion): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  };
}
