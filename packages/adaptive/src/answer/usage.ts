import { type AnyRecord, countIn, recordOf } from "./records.ts";

/**
 * What a completion used, in tokens. No token is in two parts, so the parts add up to the total. A part that is not
 * reported is absent, which differs from zero.
 */
export interface TokenUsage {
  /** Input that was neither read from a cache nor written to one. */
  readonly input?: number;
  /** Input that was read from a cache. */
  readonly cached?: number;
  /** Input that was written to a cache. */
  readonly cacheWrite?: number;
  /** Output without reasoning; with it, where the provider has one number for both. */
  readonly output?: number;
  /** Output that the model thought and did not answer. */
  readonly reasoning?: number;
}

/** The numbers of a provider, before what is in two of them is taken out of one. */
interface Numbers {
  readonly input: unknown;
  readonly cached?: unknown;
  readonly cacheWrite?: unknown;
  readonly output: unknown;
  readonly reasoning?: unknown;
  readonly total?: unknown;
  /** True where `input` is without what was read from caches and written to them. */
  readonly inputIsRest?: boolean;
  /** True where `output` is without reasoning, unless the total proves the contrary. */
  readonly outputIsRest?: boolean;
}

/**
 * What a completion used, from a parsed body, the last chunk or event of a stream, or the usage itself. It knows OpenAI
 * (chat completions, responses) and servers like it, Anthropic, Gemini, Mistral, Bedrock, and the AI SDK. Nothing in a
 * body makes it throw; a number that makes no sense is as good as absent.
 * @param body a parsed body, chunk or event, the result of an SDK, or its usage
 * @returns the parts that are reported; undefined where none is
 * @example
 * usageOf({ usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60 }, completion_tokens: 5 } });
 * // { input: 40, cached: 60, output: 5 }
 * @example
 * const used = { ...usageOf(messageStart), ...usageOf(messageDelta) }; // both events of a stream of Anthropic
 */
export function usageOf(body: unknown): TokenUsage | undefined {
  try {
    for (const place of placesIn(recordOf(Array.isArray(body) ? body.at(-1) : body))) {
      const numbers = numbersIn(place);
      const usage = numbers && partsOf(numbers);
      if (usage) return usage;
    }
  } catch {
    // What throws when it is looked at reports nothing.
  }
  return undefined;
}

/** Where providers put it. Most chunks of a stream have none of these, and each of them is looked at. */
function placesIn(body: AnyRecord): readonly AnyRecord[] {
  return [
    // All steps of the AI SDK, before `usage`, which may be that of the last one.
    body["totalUsage"],
    body["usage"],
    body["usageMetadata"],
    // The last event of a stream of OpenAI's responses, the first of one of Anthropic, the last of one of Bedrock.
    recordOf(body["response"])["usage"],
    recordOf(body["message"])["usage"],
    recordOf(body["metadata"])["usage"],
    recordOf(body["interaction"])["usage"],
    // Mistral's SDK wraps each event; Groq has a place of its own.
    recordOf(body["data"])["usage"],
    recordOf(body["x_groq"])["usage"],
    body["amazon-bedrock-invocationMetrics"],
    body,
  ].filter((place): place is AnyRecord => typeof place === "object" && place !== null);
}

/** The first form whose numbers a record has. */
function numbersIn(usage: AnyRecord): Numbers | undefined {
  for (const form of [chat, snake, camel, provider, gemini, interaction, invocation, mistralSdk]) {
    const numbers = form(usage);
    if (numbers.input !== undefined || numbers.output !== undefined) return numbers;
  }
  return undefined;
}

/**
 * OpenAI's chat completions, Mistral, and servers like them: input includes both kinds of cached tokens, and output
 * includes reasoning (xAI leaves it out, which the total shows). Mistral may call the first `num_cached_tokens`,
 * DeepSeek `prompt_cache_hit_tokens`.
 */
function chat(usage: AnyRecord): Numbers {
  const details = recordOf(usage["prompt_tokens_details"] ?? usage["prompt_token_details"]);
  return {
    input: usage["prompt_tokens"],
    cached: usage["num_cached_tokens"] ?? details["cached_tokens"] ?? usage["prompt_cache_hit_tokens"],
    cacheWrite: details["cache_write_tokens"],
    output: usage["completion_tokens"],
    reasoning: recordOf(usage["completion_tokens_details"])["reasoning_tokens"],
    total: usage["total_tokens"],
  };
}

/**
 * OpenAI's responses: input includes cached tokens, output includes reasoning. Anthropic has the same names: input is
 * without both kinds of cached tokens, and output includes thinking.
 */
function snake(usage: AnyRecord): Numbers {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: created } = usage;
  const input = recordOf(usage["input_tokens_details"]);
  const output = recordOf(usage["output_tokens_details"]);
  return {
    input: usage["input_tokens"],
    cached: read ?? input["cached_tokens"],
    cacheWrite: created ?? input["cache_write_tokens"],
    output: usage["output_tokens"],
    reasoning: output["reasoning_tokens"] ?? output["thinking_tokens"],
    total: usage["total_tokens"],
    inputIsRest: read !== undefined || created !== undefined,
  };
}

/** The AI SDK: both totals include their details. Bedrock's Converse: input is without both kinds of cached tokens. */
function camel(usage: AnyRecord): Numbers {
  const { cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  const input = recordOf(usage["inputTokenDetails"]);
  return {
    input: numberOnly(usage["inputTokens"]),
    cached: read ?? input["cacheReadTokens"] ?? usage["cachedInputTokens"],
    cacheWrite: written ?? input["cacheWriteTokens"],
    output: numberOnly(usage["outputTokens"]),
    reasoning: recordOf(usage["outputTokenDetails"])["reasoningTokens"] ?? usage["reasoningTokens"],
    total: usage["totalTokens"],
    inputIsRest: read !== undefined || written !== undefined,
  };
}

/** What a provider of the AI SDK gives its middleware: totals that include their parts. */
function provider(usage: AnyRecord): Numbers {
  const [input, output] = [recordOf(usage["inputTokens"]), recordOf(usage["outputTokens"])];
  return {
    input: input["total"],
    cached: input["cacheRead"],
    cacheWrite: input["cacheWrite"],
    output: output["total"],
    reasoning: output["reasoning"],
  };
}

/**
 * Gemini: input includes cached tokens, and not those of tools. Output is without thoughts, unless the total shows that
 * it includes them.
 */
function gemini(usage: AnyRecord): Numbers {
  const { promptTokenCount: prompt, toolUsePromptTokenCount: tools } = usage;
  return {
    input: both(prompt, tools),
    cached: usage["cachedContentTokenCount"],
    output: usage["candidatesTokenCount"] ?? usage["responseTokenCount"],
    reasoning: usage["thoughtsTokenCount"],
    total: usage["totalTokenCount"],
    outputIsRest: true,
  };
}

/** Gemini's Interactions API counts the same by other names. */
function interaction(usage: AnyRecord): Numbers {
  return {
    input: both(usage["total_input_tokens"], usage["total_tool_use_tokens"]),
    cached: usage["total_cached_tokens"],
    output: usage["total_output_tokens"],
    reasoning: usage["total_thought_tokens"],
    total: usage["total_tokens"],
    outputIsRest: true,
  };
}

/** The last chunk of Bedrock's InvokeModelWithResponseStream. */
function invocation(usage: AnyRecord): Numbers {
  return {
    input: usage["inputTokenCount"],
    cached: usage["cacheReadInputTokenCount"],
    cacheWrite: usage["cacheWriteInputTokenCount"],
    output: usage["outputTokenCount"],
    inputIsRest: true,
  };
}

/** Mistral's SDK gives what it knows names of its own, and passes on the rest. */
function mistralSdk(usage: AnyRecord): Numbers {
  const numbers = chat(usage);
  return {
    ...numbers,
    input: usage["promptTokens"],
    output: usage["completionTokens"],
    total: usage["totalTokens"],
  };
}

function both(one: unknown, other: unknown): unknown {
  const [first, second] = [countIn(one), countIn(other)];
  return second === undefined ? one : (first ?? 0) + second;
}

function numberOnly(value: unknown): unknown {
  return typeof value === "object" ? undefined : value;
}

function partsOf(numbers: Numbers): TokenUsage | undefined {
  const [cached, cacheWrite] = [numbers.cached, numbers.cacheWrite].map(countIn);
  const [input, output, total] = [numbers.input, numbers.output, numbers.total].map(countIn);
  const caches = (cached ?? 0) + (cacheWrite ?? 0);
  const inputIsRest = numbers.inputIsRest === true || (input ?? 0) < caches;
  const allInput = (input ?? 0) + (inputIsRest ? caches : 0);
  // By the API of OpenAI, Gemini counts its thoughts in the total alone.
  const unnamed = input === undefined || output === undefined ? 0 : (total ?? 0) - allInput - output;
  const reasoning = countIn(numbers.reasoning) ?? (unnamed > 0 ? unnamed : undefined);
  const outputIsRest = isRest(numbers.outputIsRest === true, output ?? 0, reasoning ?? 0, total, allInput);
  const parts = {
    ...(input !== undefined && { input: inputIsRest ? input : input - caches }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output: outputIsRest ? output : output - (reasoning ?? 0) }),
    ...(reasoning !== undefined && { reasoning }),
  };
  return Object.keys(parts).length === 0 ? undefined : parts;
}

/** Whether output is without reasoning: by the total where it tells, and otherwise as the provider usually has it. */
function isRest(
  usually: boolean,
  output: number,
  reasoning: number,
  total: number | undefined,
  input: number,
): boolean {
  if (output < reasoning || total === input + output + reasoning) return true;
  return usually && total !== input + output;
}
