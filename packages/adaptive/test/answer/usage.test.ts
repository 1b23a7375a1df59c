import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { statedMaximum, type TokenUsage, usageOf } from "../../src/index.ts";

const sum = (usage: TokenUsage | undefined): number =>
  Object.values(usage ?? {}).reduce((total, part: number) => total + part, 0);

const chat = {
  usage: {
    prompt_tokens: 2_006,
    completion_tokens: 300,
    total_tokens: 2_306,
    prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 256, accepted_prediction_tokens: 0 },
  },
};
const responses = {
  input_tokens: 81,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 1_035,
  output_tokens_details: { reasoning_tokens: 832 },
  total_tokens: 1_116,
};
const anthropic = {
  input_tokens: 21,
  cache_creation_input_tokens: 188_086,
  cache_read_input_tokens: 10,
  output_tokens: 393,
};
const gemini = {
  promptTokenCount: 12,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 71,
  toolUsePromptTokenCount: 65,
  thoughtsTokenCount: 89,
  totalTokenCount: 237,
};

describe("the usage of a completion", () => {
  it.each<[string, unknown, TokenUsage]>([
    ["OpenAI, chat completions", chat, { input: 86, cached: 1_920, output: 44, reasoning: 256 }],
    ["OpenAI, the last chunk", { choices: [], ...chat }, { input: 86, cached: 1_920, output: 44, reasoning: 256 }],
    [
      "OpenAI, with neither kind of details",
      { usage: { prompt_tokens: 9, completion_tokens: 12 } },
      { input: 9, output: 12 },
    ],
    [
      "OpenAI and OpenRouter, with what was written to a cache",
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 50 },
        },
      },
      { input: 10, cached: 40, cacheWrite: 50, output: 5 },
    ],
    ["OpenAI, responses", { usage: responses }, { input: 17, cached: 64, output: 203, reasoning: 832 }],
    [
      "OpenAI, the last event of a response",
      { type: "response.completed", response: { usage: responses } },
      { input: 17, cached: 64, output: 203, reasoning: 832 },
    ],
    [
      "xAI, whose output is without reasoning",
      {
        usage: {
          prompt_tokens: 10_120,
          completion_tokens: 2_900,
          total_tokens: 15_829,
          prompt_tokens_details: { cached_tokens: 128 },
          completion_tokens_details: { reasoning_tokens: 2_809 },
        },
      },
      { input: 9_992, cached: 128, output: 2_900, reasoning: 2_809 },
    ],
    [
      "xAI, without a total",
      {
        usage: { prompt_tokens: 10, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 386 } },
      },
      { input: 10, output: 1, reasoning: 386 },
    ],
    ["Groq, in a stream", { x_groq: { usage: { prompt_tokens: 9, completion_tokens: 12 } } }, { input: 9, output: 12 }],
    [
      "DeepSeek",
      { usage: { prompt_tokens: 9, completion_tokens: 12, prompt_cache_hit_tokens: 5, prompt_cache_miss_tokens: 4 } },
      { input: 4, cached: 5, output: 12 },
    ],
    ["Anthropic, a message", { usage: anthropic }, { input: 21, cached: 10, cacheWrite: 188_086, output: 393 }],
    [
      "Anthropic, with thinking",
      { usage: { ...anthropic, output_tokens_details: { thinking_tokens: 300 } } },
      { input: 21, cached: 10, cacheWrite: 188_086, output: 93, reasoning: 300 },
    ],
    [
      "Anthropic, message_start",
      { type: "message_start", message: { usage: { ...anthropic, output_tokens: 1 } } },
      { input: 21, cached: 10, cacheWrite: 188_086, output: 1 },
    ],
    ["Anthropic, message_delta", { type: "message_delta", usage: { output_tokens: 393 } }, { output: 393 }],
    [
      "Anthropic, message_delta with numbers of the input",
      { usage: { input_tokens: null, cache_read_input_tokens: null, output_tokens: 393 } },
      { output: 393 },
    ],
    ["Gemini", { usageMetadata: gemini }, { input: 73, cached: 4, output: 71, reasoning: 89 }],
    ["Gemini, a list of chunks", [{}, { usageMetadata: gemini }], { input: 73, cached: 4, output: 71, reasoning: 89 }],
    [
      "Gemini, where output includes thoughts",
      {
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 30, thoughtsTokenCount: 20, totalTokenCount: 40 },
      },
      { input: 10, output: 10, reasoning: 20 },
    ],
    [
      "Gemini, without an answer",
      { usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 30 } },
      { input: 10, reasoning: 20 },
    ],
    [
      "Gemini, by the API of OpenAI: the total alone has the thoughts",
      { usage: { completion_tokens: 102, prompt_tokens: 758, total_tokens: 1_725 } },
      { input: 758, output: 102, reasoning: 865 },
    ],
    [
      "Gemini, interactions",
      {
        event_type: "interaction.completed",
        interaction: {
          usage: {
            total_input_tokens: 12,
            total_cached_tokens: 4,
            total_output_tokens: 71,
            total_thought_tokens: 89,
            total_tool_use_tokens: 65,
            total_tokens: 237,
          },
        },
      },
      { input: 73, cached: 4, output: 71, reasoning: 89 },
    ],
    ["an answer without its input", { usage: { completion_tokens: 5, total_tokens: 14 } }, { output: 5 }],
    ["an embedding", { usage: { prompt_tokens: 8, total_tokens: 8 } }, { input: 8 }],
    ["Gemini, live", { usageMetadata: { promptTokenCount: 10, responseTokenCount: 5 } }, { input: 10, output: 5 }],
    [
      "Mistral",
      { usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35, num_cached_tokens: 16 } },
      { input: 14, cached: 16, output: 5 },
    ],
    [
      "Mistral's SDK",
      { usage: { promptTokens: 30, completionTokens: 5, totalTokens: 35, num_cached_tokens: 16 } },
      { input: 14, cached: 16, output: 5 },
    ],
    [
      "Mistral's SDK, in a stream",
      { data: { usage: { promptTokens: 30, completionTokens: 5, totalTokens: 35 } } },
      { input: 30, output: 5 },
    ],
    [
      "Bedrock, Converse",
      {
        usage: {
          inputTokens: 300,
          outputTokens: 5,
          totalTokens: 505,
          cacheReadInputTokens: 150,
          cacheWriteInputTokens: 50,
        },
      },
      { input: 300, cached: 150, cacheWrite: 50, output: 5 },
    ],
    [
      "Bedrock, the metadata of a stream",
      { metadata: { usage: { inputTokens: 30, outputTokens: 5, totalTokens: 35 } } },
      { input: 30, output: 5 },
    ],
    [
      "Bedrock, the metrics of a stream",
      {
        type: "message_stop",
        "amazon-bedrock-invocationMetrics": { inputTokenCount: 30, outputTokenCount: 5, cacheReadInputTokenCount: 7 },
      },
      { input: 30, cached: 7, output: 5 },
    ],
    [
      "the AI SDK",
      {
        usage: {
          inputTokens: 100,
          inputTokenDetails: { noCacheTokens: 30, cacheReadTokens: 60, cacheWriteTokens: 10 },
          outputTokens: 50,
          outputTokenDetails: { textTokens: 20, reasoningTokens: 30 },
          totalTokens: 150,
        },
      },
      { input: 30, cached: 60, cacheWrite: 10, output: 20, reasoning: 30 },
    ],
    [
      "the AI SDK, all steps",
      { usage: { inputTokens: 1, outputTokens: 1 }, totalUsage: { inputTokens: 100, outputTokens: 50 } },
      { input: 100, output: 50 },
    ],
    [
      "the AI SDK, before details",
      { usage: { inputTokens: 100, cachedInputTokens: 60, outputTokens: 50, reasoningTokens: 30, totalTokens: 150 } },
      { input: 40, cached: 60, output: 20, reasoning: 30 },
    ],
    [
      "the AI SDK, a provider",
      {
        usage: {
          inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
          outputTokens: { total: 50, text: 20, reasoning: 30 },
        },
      },
      { input: 30, cached: 60, cacheWrite: 10, output: 20, reasoning: 30 },
    ],
    [
      "the AI SDK, a provider without details",
      { type: "finish", usage: { inputTokens: { total: 100, cacheRead: undefined }, outputTokens: { total: 50 } } },
      { input: 100, output: 50 },
    ],
    ["the usage itself", chat.usage, { input: 86, cached: 1_920, output: 44, reasoning: 256 }],
  ])("%s", (_, body, usage) => {
    expect(usageOf(body)).toStrictEqual(usage);
  });

  it("is all of it, once", () => {
    for (const body of [chat, { usage: responses }])
      expect(sum(usageOf(body))).toBe("total_tokens" in body.usage ? body.usage.total_tokens : undefined);
    expect(sum(usageOf({ usageMetadata: gemini }))).toBe(gemini.totalTokenCount);
  });

  it("of a stream of Anthropic is that of both its events", () => {
    const start = { message: { usage: { ...anthropic, output_tokens: 1 } } };
    expect({ ...usageOf(start), ...usageOf({ usage: { output_tokens: 393 } }) }).toEqual({
      input: 21,
      cached: 10,
      cacheWrite: 188_086,
      output: 393,
    });
  });

  it("zero is reported, and nothing is not", () => {
    expect(usageOf({ usage: { prompt_tokens: 0, completion_tokens: 0 } })).toStrictEqual({ input: 0, output: 0 });
    for (const body of [undefined, null, "usage", 5, {}, [], { usage: null }, { usage: {} }, { usage: { tokens: 5 } }])
      expect(usageOf(body)).toBeUndefined();
  });

  it.each([-1, 1e12, Number.NaN, Number.POSITIVE_INFINITY, "5", 5n, {}, [5], true])(
    "a number that makes no sense is as good as absent: %s",
    (odd) => {
      expect(usageOf({ usage: { prompt_tokens: odd, completion_tokens: 5 } })).toStrictEqual({ output: 5 });
      expect(usageOf({ usage: { inputTokens: odd, outputTokens: 5 } })).toStrictEqual({ output: 5 });
      expect(usageOf({ usage: { prompt_tokens: odd } })).toBeUndefined();
      expect(usageOf({ usage: { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: odd } } })).toStrictEqual({
        input: 9,
      });
    },
  );

  const part = fc.oneof(fc.nat(), fc.anything());
  const names = fc.constantFrom(
    ...Object.keys({ ...chat.usage, ...responses, ...anthropic, ...gemini }),
    ...["inputTokens", "outputTokens", "cacheReadInputTokens", "cachedInputTokens", "reasoningTokens", "promptTokens"],
  );
  const details = fc.oneof(
    part,
    fc.dictionary(fc.constantFrom("cached_tokens", "reasoning_tokens", "total", "cacheRead", "reasoning"), part),
  );
  const usage = fc.dictionary(names, details);

  it("of any body has parts that make sense, or none", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          usage,
          usage.map((inner) => ({ usage: inner })),
        ),
        (body) => {
          const parts = usageOf(body);
          if (parts === undefined) return;
          expect(Object.keys(parts).length).toBeGreaterThan(0);
          for (const [name, tokens] of Object.entries(parts) as [string, number][]) {
            expect(["input", "cached", "cacheWrite", "output", "reasoning"]).toContain(name);
            expect(tokens >= 0 && tokens < 1e12).toBe(true);
          }
        },
      ),
      { numRuns: 3_000, seed: 38 },
    );
  });

  it("adds up to the total of a provider that is consistent", () => {
    const tokens = fc.nat(1_000_000);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, tokens, (input, cached, cacheWrite, output, reasoning) => {
        const all = input + cached + cacheWrite;
        const parts = { input, cached, cacheWrite, output, reasoning };
        const total_tokens = all + output + reasoning;
        const included = {
          prompt_tokens: all,
          prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
          completion_tokens: output + reasoning,
          completion_tokens_details: { reasoning_tokens: reasoning },
          total_tokens,
        };
        expect(usageOf({ usage: included })).toStrictEqual(parts);
        expect(usageOf({ usage: { ...included, completion_tokens: output } })).toStrictEqual(parts);
        const apart = {
          input_tokens: input,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: cacheWrite,
          output_tokens: output + reasoning,
          output_tokens_details: { thinking_tokens: reasoning },
        };
        expect(usageOf({ usage: apart })).toStrictEqual(parts);
        const metadata = {
          promptTokenCount: input + cached,
          cachedContentTokenCount: cached,
          thoughtsTokenCount: reasoning,
        };
        const totalTokenCount = input + cached + output + reasoning;
        const google = { input, cached, output, reasoning };
        expect(
          usageOf({ usageMetadata: { ...metadata, candidatesTokenCount: output, totalTokenCount } }),
        ).toStrictEqual(google);
        expect(
          usageOf({ usageMetadata: { ...metadata, candidatesTokenCount: output + reasoning, totalTokenCount } }),
        ).toStrictEqual(google);
      }),
      { numRuns: 500, seed: 38 },
    );
  });

  it("of what is deep, or throws when it is looked at, is none", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 10_000; depth++) deep = { usage: deep, response: deep };
    expect(usageOf(deep)).toBeUndefined();
    const no = (): never => {
      throw new Error("no");
    };
    expect(usageOf(new Proxy({}, { get: no }))).toBeUndefined();
    expect(statedMaximum(new Proxy({}, { get: no }))).toBeUndefined();
  });
});

describe("the maximum that a request states", () => {
  it.each<[string, unknown, number | undefined]>([
    ["OpenAI, before", { max_tokens: 256 }, 256],
    ["OpenAI, chat completions", { max_completion_tokens: 4_096 }, 4_096],
    ["OpenAI, both: the larger one", { max_tokens: 256, max_completion_tokens: 4_096 }, 4_096],
    ["OpenAI, both, the other way round", { max_tokens: 4_096, max_completion_tokens: 256 }, 4_096],
    ["OpenAI, responses", { max_output_tokens: 100 }, 100],
    ["Anthropic", { max_tokens: 1_024, thinking: { type: "enabled", budget_tokens: 512 } }, 1_024],
    ["Anthropic, before", { max_tokens_to_sample: 300 }, 300],
    ["Gemini", { generationConfig: { maxOutputTokens: 800 } }, 800],
    ["Gemini, in snake case", { generation_config: { max_output_tokens: 800 } }, 800],
    ["Gemini's SDK", { config: { maxOutputTokens: 800 } }, 800],
    ["the AI SDK", { maxOutputTokens: 50 }, 50],
    ["Mistral's SDK", { maxTokens: 60 }, 60],
    ["Bedrock", { inferenceConfig: { maxTokens: 70 } }, 70],
    ["several providers", { max_tokens: 1, maxOutputTokens: 3, generationConfig: { maxOutputTokens: 2 } }, 3],
    ["zero", { max_tokens: 0 }, 0],
    [
      "one that makes no sense",
      { max_tokens: -1, max_completion_tokens: Number.NaN, max_output_tokens: "9" },
      undefined,
    ],
    ["one that makes no sense beside one that does", { max_tokens: 1e12, max_completion_tokens: 9 }, 9],
    ["none", { model: "m", messages: [] }, undefined],
    ["null", { max_tokens: null }, undefined],
    ["no request", "max_tokens: 5", undefined],
    ["nothing", undefined, undefined],
  ])("%s", (_, body, maximum) => {
    expect(statedMaximum(body)).toBe(maximum);
  });
});
