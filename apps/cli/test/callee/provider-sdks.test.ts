import Anthropic from "@anthropic-ai/sdk";
import { until } from "@dt-tooling/backends";
import { type ProviderSettings, startProvider } from "@dt-tooling/backends/callee/provider";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";

const QUICK: ProviderSettings = { requests: "4/min", tokens: "1000/min", takesMs: 0, tokenTakesMs: 0 };
const MESSAGES = [{ role: "user", content: "x".repeat(320) }] as const;
const CALL = { model: "m", messages: [...MESSAGES] };
const MESSAGE = { model: "m", max_tokens: 400, messages: [...MESSAGES] };
const THIRTY = { headers: { "x-output-tokens": "30" } };
/** At 20 ms a token: no test waits for its end. */
const ENDLESS = { headers: { "x-output-tokens": "100000" } };
const COUNTED = { received: 1, accepted: 1, inFlight: 0, promptTokens: 80, outputTokens: 30, tokensInWindow: 110 };

/** No retry of their own: each refusal is seen. */
async function start(settings: Partial<ProviderSettings> = {}) {
  const provider = await startProvider({ ...QUICK, ...settings });
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const openai = new OpenAI({ baseURL: `${provider.url}v1`, apiKey: "any", maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: provider.url, apiKey: "any", maxRetries: 0 });
  return { provider, openai, anthropic };
}

describe("the SDK of OpenAI", () => {
  test("reads an answer, its usage and its id", async () => {
    const { provider, openai } = await start();
    const completion = await openai.chat.completions.create(CALL, THIRTY);
    expect(completion).toMatchObject({
      _request_id: "chatcmpl-1",
      choices: [{ message: { role: "assistant", content: "bla ".repeat(30) }, finish_reason: "stop" }],
      usage: { prompt_tokens: 80, completion_tokens: 30, total_tokens: 110 },
    });
    expect(await provider.stats()).toMatchObject(COUNTED);
  });

  test("reads a stream to its usage", async () => {
    const { provider, openai } = await start();
    const streamed = { ...CALL, stream: true, stream_options: { include_usage: true } } as const;
    const stream = await openai.chat.completions.create(streamed, THIRTY);
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("bla ".repeat(30));
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 80, completion_tokens: 30, total_tokens: 110 });
    expect(await provider.stats()).toMatchObject(COUNTED);
  });

  test("puts a stream together again", async () => {
    const { openai } = await start();
    const stream = openai.chat.completions.stream({ ...CALL, stream_options: { include_usage: true } }, THIRTY);
    expect(await stream.finalContent()).toBe("bla ".repeat(30));
    expect(await stream.totalUsage()).toMatchObject({ total_tokens: 110 });
  });

  test("has the limits of an answer, and throws a refusal that states when to come again", async () => {
    const { openai } = await start();
    const { response } = await openai.chat.completions.create(CALL, THIRTY).withResponse();
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("3");
    expect(response.headers.get("x-ratelimit-remaining-tokens")).toBe("920");
    const large = { headers: { "x-prompt-tokens": "900" } };
    const refusal = await openai.chat.completions.create(CALL, large).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OpenAI.RateLimitError);
    expect(refusal).toMatchObject({ status: 429, type: "tokens", code: "rate_limit_exceeded" });
    expect(Number((refusal as InstanceType<typeof OpenAI.RateLimitError>).headers.get("retry-after"))).toBeGreaterThan(
      0,
    );
  });

  test("comes again by itself after a refusal", async () => {
    const { provider, openai } = await start({ requests: "1/1s" });
    await openai.chat.completions.create(CALL, THIRTY);
    await openai.chat.completions.create(CALL, { ...THIRTY, maxRetries: 20 });
    expect(await provider.stats()).toMatchObject({ accepted: 2, outputTokens: 60 });
  });

  test("leaves a stream in the middle: what came counts", async () => {
    const { provider, openai } = await start({ tokenTakesMs: 20 });
    const stream = await openai.chat.completions.create(
      { ...CALL, max_completion_tokens: 100_000, stream: true },
      ENDLESS,
    );
    let seen = 0;
    for await (const { choices } of stream) if (choices[0]?.delta.content && ++seen === 3) break;
    await until("the client is gone", 10_000, async () => (await provider.stats()).gone === 1);
    const { outputTokens, tokensInWindow, inFlight } = await provider.stats();
    expect(outputTokens).toBeGreaterThanOrEqual(3);
    expect(outputTokens).toBeLessThan(100_000);
    expect([tokensInWindow, inFlight]).toEqual([80 + outputTokens, 0]);
  });

  test("throws where a stream is cut", async () => {
    const { provider, openai } = await start({ more: ["--phases", "cut:1h"] });
    const stream = await openai.chat.completions.create({ ...CALL, stream: true }, THIRTY);
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow();
    expect(await provider.stats()).toMatchObject({ cut: 1, accepted: 0, outputTokens: 15, inFlight: 0 });
  });
});

describe("the SDK of Anthropic", () => {
  test("reads an answer, its usage and its id", async () => {
    const { provider, anthropic } = await start();
    const message = await anthropic.messages.create(MESSAGE, THIRTY);
    expect(message).toMatchObject({
      _request_id: "msg_1",
      role: "assistant",
      content: [{ type: "text", text: "bla ".repeat(30) }],
      stop_reason: "end_turn",
      usage: { input_tokens: 80, output_tokens: 30 },
    });
    expect(await provider.stats()).toMatchObject(COUNTED);
  });

  test("reads the events of a stream", async () => {
    const { provider, anthropic } = await start();
    const types: string[] = [];
    for await (const { type } of await anthropic.messages.create({ ...MESSAGE, stream: true }, THIRTY))
      types.push(type);
    expect(types.filter((type) => type === "content_block_delta")).toHaveLength(30);
    expect(types.at(-1)).toBe("message_stop");
    expect(await provider.stats()).toMatchObject(COUNTED);
  });

  test("puts a stream together again", async () => {
    const { anthropic } = await start();
    const stream = anthropic.messages.stream(MESSAGE, THIRTY);
    expect(await stream.finalText()).toBe("bla ".repeat(30));
    expect(await stream.finalMessage()).toMatchObject({
      stop_reason: "end_turn",
      usage: { input_tokens: 80, output_tokens: 30 },
    });
  });

  test("has the limits of an answer, and throws a refusal that states when to come again", async () => {
    const { anthropic } = await start({ requests: "1/min" });
    const { response } = await anthropic.messages.create(MESSAGE, THIRTY).withResponse();
    expect(response.headers.get("anthropic-ratelimit-requests-remaining")).toBe("0");
    const reset = response.headers.get("anthropic-ratelimit-tokens-reset");
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const refusal = await anthropic.messages.create(MESSAGE, THIRTY).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Anthropic.RateLimitError);
    expect(refusal).toMatchObject({ status: 429, type: "rate_limit_error" });
    const { headers } = refusal as InstanceType<typeof Anthropic.RateLimitError>;
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("leaves a stream in the middle: what came counts", async () => {
    const { provider, anthropic } = await start({ tokenTakesMs: 20 });
    const stream = anthropic.messages.stream({ ...MESSAGE, max_tokens: 100_000 }, ENDLESS);
    const ended = expect(stream.done()).rejects.toThrow();
    stream.once("text", () => stream.abort());
    await ended;
    await until("the client is gone", 10_000, async () => (await provider.stats()).gone === 1);
    const { outputTokens, tokensInWindow, inFlight } = await provider.stats();
    expect(outputTokens).toBeGreaterThanOrEqual(1);
    expect(outputTokens).toBeLessThan(100_000);
    expect([tokensInWindow, inFlight]).toEqual([80 + outputTokens, 0]);
  });
});
