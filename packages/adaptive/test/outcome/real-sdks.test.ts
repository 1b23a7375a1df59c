import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { classify, statedLimits, type TokenUsage, usageOf } from "../../src/index.ts";

/** A server that has one answer; resolves to its address. */
async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

const events =
  (list: readonly object[], end = "") =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const texts = list.map(
      (event) => `${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
    );
    response.end(texts.join("") + end);
  };

async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call was to fail");
}

const chat = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };

describe("the SDK of OpenAI", () => {
  const usage = {
    prompt_tokens: 2_006,
    completion_tokens: 300,
    total_tokens: 2_306,
    prompt_tokens_details: { cached_tokens: 1_920 },
    completion_tokens_details: { reasoning_tokens: 256 },
  };
  const used: TokenUsage = { input: 86, cached: 1_920, output: 44, reasoning: 256 };
  const openai = (url: string): OpenAI => new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });

  it("has an answer's usage and limits", async () => {
    const headers = { "x-ratelimit-limit-tokens": "60000", "x-ratelimit-remaining-tokens": "57000" };
    const body = { id: "1", choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }], usage };
    const call = openai(await answering(json(200, body, headers))).chat.completions.create(chat);
    const { data, response } = await call.withResponse();
    expect(usageOf(data)).toEqual(used);
    expect(statedLimits(response, { body: data })).toMatchObject({
      limits: [{ name: "tokens", limit: 60_000, remaining: 57_000 }],
      refused: false,
      ignored: 0,
    });
  });

  it("has the usage in the last chunk of a stream", async () => {
    const chunks = [
      { id: "1", choices: [{ index: 0, delta: { content: "hi" } }] },
      { id: "1", choices: [], usage },
    ];
    const client = openai(await answering(events(chunks, "data: [DONE]\n\n")));
    let last: unknown;
    for await (const chunk of await client.chat.completions.create({ ...chat, stream: true })) last = chunk;
    expect(usageOf(last)).toEqual(used);
  });

  it("throws a refusal that has all of it", async () => {
    const headers = {
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6m0s",
      "retry-after-ms": "1200",
    };
    const body = { error: { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" } };
    const error = await errorOf(openai(await answering(json(429, body, headers))).chat.completions.create(chat));
    expect(statedLimits(error)).toMatchObject({
      limits: [{ name: "tokens", remaining: 0, resetMs: 360_000 }],
      retryAfterMs: 1_200,
      refused: true,
      ignored: 0,
    });
  });
});

describe("the SDK of Anthropic", () => {
  const usage = {
    input_tokens: 21,
    cache_creation_input_tokens: 188,
    cache_read_input_tokens: 10,
    output_tokens: 393,
  };
  const used: TokenUsage = { input: 21, cached: 10, cacheWrite: 188, output: 393 };
  const message = { id: "1", type: "message", role: "assistant", model: "m", content: [], usage };
  const anthropic = (url: string): Anthropic => new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0 });

  it("has an answer's usage, and that of a stream in its events", async () => {
    const whole = anthropic(await answering(json(200, message)));
    expect(usageOf(await whole.messages.create({ ...chat, max_tokens: 9 }))).toEqual(used);
    const streamed = anthropic(
      await answering(
        events([
          { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
          { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 393 } },
          { type: "message_stop" },
        ]),
      ),
    );
    let parts: TokenUsage = {};
    for await (const event of await streamed.messages.create({ ...chat, max_tokens: 9, stream: true }))
      parts = { ...parts, ...usageOf(event) };
    expect(parts).toEqual(used);
  });

  it("throws a refusal that has all of it", async () => {
    const headers = {
      date: "Mon, 23 Nov 2026 04:00:00 GMT",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-23T04:01:00Z",
      "retry-after": "7",
    };
    const body = { type: "error", error: { type: "rate_limit_error", message: "too much" } };
    const client = anthropic(await answering(json(429, body, headers)));
    const error = await errorOf(client.messages.create({ ...chat, max_tokens: 9 }));
    expect(statedLimits(error)).toMatchObject({
      limits: [{ name: "input-tokens", remaining: 0, resetMs: 60_000, roundedTo: 1_000 }],
      retryAfterMs: 7_000,
      refused: true,
      ignored: 0,
    });
  });
});

describe("the AI SDK with Gemini", () => {
  const usageMetadata = {
    promptTokenCount: 12,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 71,
    thoughtsTokenCount: 89,
    totalTokenCount: 172,
  };
  const used: TokenUsage = { input: 8, cached: 4, output: 71, reasoning: 89 };
  const content = { role: "model", parts: [{ text: "hi" }] };
  const answer = { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata };
  const model = (url: string) => createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` })("m");
  const options = { prompt: "hi", maxRetries: 0 };

  it("has a result's usage, and gives it to a middleware", async () => {
    const gemini = model(await answering(json(200, answer)));
    const result = await generateText({ model: gemini, ...options });
    expect([usageOf(result), usageOf(result.usage)]).toEqual([used, used]);
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
    expect(usageOf(await gemini.doGenerate({ prompt }))).toEqual(used);
  });

  it("has a stream's usage once that has ended, and in its last part", async () => {
    const gemini = model(await answering(events([answer])));
    const result = streamText({ model: gemini, ...options });
    let last: unknown;
    for await (const part of result.fullStream) last = part;
    expect([usageOf(last), usageOf(await result.usage)]).toEqual([used, used]);
  });

  it("throws a refusal whose body has the pause and the quota", async () => {
    const violations = [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", quotaValue: "15" }];
    const details = [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
    ];
    const body = { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details } };
    const gemini = model(await answering(json(429, body)));
    const error = await errorOf(generateText({ model: gemini, ...options }));
    expect(statedLimits(error)).toMatchObject({
      limits: [{ limit: 15, windowMs: 60_000, exceeded: true }],
      retryAfterMs: 34_400,
      refused: true,
      ignored: 0,
    });
    expect(classify({ error })).toMatchObject({ outcome: "overload", refused: true, retryAfterMs: 34_400 });
  });
});
