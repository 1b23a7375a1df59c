import { until } from "@dt-tooling/backends";
import { describe, expect, test } from "vitest";
import { ANTHROPIC, dataIn, eventsIn, OPENAI, perMinute, startProviderHere } from "../support/provider.ts";

describe("a call of a provider", () => {
  test("counts its prompt at once, and its output when it ends, at the time of its beginning", async () => {
    const { callee, runtime, call } = await startProviderHere({}, { takesMs: 2_000 });
    const answer = call({ prompt: 80, output: 120 });
    await until("it is in flight", 5_000, () => callee.stats().inFlight === 1);
    expect(callee.stats()).toMatchObject({ promptTokens: 80, outputTokens: 0, tokensInWindow: 80 });
    await runtime.advance(2_000);
    expect((await answer).status).toBe(200);
    expect(callee.stats()).toMatchObject({ inFlight: 0, outputTokens: 120, tokensInWindow: 200, accepted: 1 });
    await runtime.advance(57_999);
    expect(callee.stats().tokensInWindow).toBe(200);
    await runtime.advance(1);
    expect(callee.stats()).toMatchObject({ tokensInWindow: 0, promptTokens: 80, peakTokensPercent: 20 });
  });

  test.each([
    [OPENAI, { prompt_tokens: 80, completion_tokens: 3, total_tokens: 83 }],
    [ANTHROPIC, { input_tokens: 80, output_tokens: 3 }],
  ])("is answered in the form of %s", async (path, usage) => {
    const { call, settled } = await startProviderHere({});
    const body = await (await settled(call({ path, prompt: 80, output: 3 }))).json();
    expect(body).toMatchObject({ model: "m", usage });
    expect(JSON.stringify(body)).toContain('"bla bla bla "');
  });

  test("has a prompt of a token for every four characters, whatever they are made of", async () => {
    const { callee, call, settled } = await startProviderHere({});
    const messages = [
      { role: "system", content: "12345" },
      { role: "assistant", content: null },
      { role: "user", content: [{ type: "text", text: "ä😀😀" }, { type: "image_url" }] },
    ];
    await settled(call({ output: 1, fields: { messages } }));
    expect(callee.stats().promptTokens).toBe(2);
    await settled(call({ path: ANTHROPIC, output: 1, fields: { messages, system: "12" } }));
    expect(callee.stats().promptTokens).toBe(2 + 3);
  });

  test.each([
    [OPENAI, { max_completion_tokens: 7, max_tokens: 3 }, 7],
    [OPENAI, { max_tokens: 3 }, 3],
    [ANTHROPIC, { max_tokens: 3 }, 3],
    [OPENAI, {}, 400],
  ])("of %s puts out no more than %j allows", async (path, fields, most) => {
    const { callee, call, settled } = await startProviderHere({});
    const body = await (await settled(call({ path, prompt: 0, output: 10_000, fields }))).text();
    expect(callee.stats().outputTokens).toBe(most);
    expect(body).toMatch(/"(finish_reason":"length|stop_reason":"max_tokens)"/);
  });

  test("puts out tokens at random where nothing states how many", async () => {
    const { callee, call, settled } = await startProviderHere({ tokens: perMinute(1_000_000) });
    for (let i = 0; i < 100; i++) await settled(call({ prompt: 0 }));
    // A hundred of mean 50 and the same deviation; the seed is always the same.
    expect(callee.stats().outputTokens).toBeGreaterThan(3_500);
    expect(callee.stats().outputTokens).toBeLessThan(6_500);
  });
});

describe("the limits of a provider", () => {
  test("refuse what the window of requests cannot hold, and say when it can", async () => {
    const { callee, runtime, call, settled } = await startProviderHere({}, { rate: perMinute(2) });
    await settled(call({ prompt: 1, output: 1 }));
    await runtime.advance(10_500);
    await settled(call({ prompt: 1, output: 1 }));
    await runtime.advance(1_000);
    const refused = await call({ prompt: 1 });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { type: "requests", code: "rate_limit_exceeded" } });
    expect(refused.headers.get("retry-after")).toBe("49");
    await runtime.advance(48_499);
    expect((await call({ prompt: 1 })).status).toBe(429);
    await runtime.advance(1);
    expect((await settled(call({ prompt: 1, output: 1 }))).status).toBe(200);
    await until("the books are written", 5_000, () => callee.stats().refused === 2);
    expect(callee.stats()).toMatchObject({ received: 5, accepted: 3, requestsInWindow: 2, peakRequestsPercent: 100 });
  });

  test("refuse what the window of tokens cannot hold, and count nothing of it", async () => {
    const { callee, call, settled } = await startProviderHere({ tokens: perMinute(200) }, { rate: perMinute(9) });
    await settled(call({ prompt: 100, output: 60 }));
    const refused = await call({ prompt: 41 });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ error: { type: "tokens", code: "rate_limit_exceeded" } });
    expect(callee.stats()).toMatchObject({ tokensInWindow: 160, requestsInWindow: 1, inFlight: 0 });
    expect((await settled(call({ prompt: 40, output: 30 }))).status).toBe(200);
    // Output is not known beforehand: what comes out counts, above the limit as well.
    expect(callee.stats()).toMatchObject({ tokensInWindow: 230, peakTokensPercent: 115 });
    expect((await call({ prompt: 1 })).headers.get("x-ratelimit-remaining-tokens")).toBe("0");
  });

  test("refuse for ever a prompt that is more than the whole limit", async () => {
    const { call } = await startProviderHere({ tokens: perMinute(200) });
    const refused = await call({ prompt: 201 });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(await refused.text()).toContain("a prompt of 201 tokens is more than the whole limit of tokens");
  });

  test("are reported with every answer of OpenAI, until when they are full again", async () => {
    const settings = { tokens: { count: 1_000, intervalMs: 360_000 } };
    const { runtime, call, settled } = await startProviderHere(settings, { rate: perMinute(2), takesMs: 1_500 });
    const reported = async (answer: Promise<Response>): Promise<(string | null)[]> => {
      const { headers } = await answer;
      const names = ["limit", "remaining", "reset"].flatMap((name) => [`${name}-requests`, `${name}-tokens`]);
      return names.map((name) => headers.get(`x-ratelimit-${name}`));
    };
    const first = call({ prompt: 100, output: 20 });
    await until("it works", 5_000, () => runtime.pendingTimers > 0);
    await runtime.advance(1_500);
    expect(await reported(first)).toEqual(["2", "1000", "1", "900", "1m0s", "6m0s"]);
    await runtime.advance(50_000);
    const second = call({ prompt: 100, output: 20 });
    await until("it works", 5_000, () => runtime.pendingTimers > 0);
    await runtime.advance(1_500);
    expect(await reported(second)).toEqual(["2", "1000", "0", "780", "1m0s", "6m0s"]);
    expect(await reported(call({ prompt: 1 }))).toEqual(["2", "1000", "0", "760", "58.5s", "5m58.5s"]);
    expect((await settled(call({ prompt: 1 }))).status).toBe(429);
  });

  test("are reported with every answer of Anthropic, as times", async () => {
    const { runtime, call, settled } = await startProviderHere({}, { rate: perMinute(1) });
    await settled(call({ path: ANTHROPIC, prompt: 100, output: 20 }));
    await runtime.advance(500);
    const refused = await call({ path: ANTHROPIC, prompt: 1 });
    expect(refused.status).toBe(429);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "60",
      "anthropic-ratelimit-requests-limit": "1",
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "1970-01-01T00:01:00Z",
      "anthropic-ratelimit-tokens-limit": "1000",
      "anthropic-ratelimit-tokens-remaining": "880",
      "anthropic-ratelimit-tokens-reset": "1970-01-01T00:01:00Z",
    });
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
  });

  test("hold for calls that come at the same time", async () => {
    const { callee, runtime, call } = await startProviderHere({}, { rate: perMinute(50), takesMs: 1_000 });
    const calls = Array.from({ length: 60 }, () => call({ prompt: 30, output: 1 }));
    await until("all have come", 20_000, () => callee.stats().received === 60);
    await runtime.advance(1_000);
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(33);
    await until("the books are written", 5_000, () => callee.stats().refused === 27);
    expect(callee.stats()).toMatchObject({ accepted: 33, promptTokens: 990, outputTokens: 33, peakInFlight: 33 });
  });
});

describe("a stream", () => {
  const STREAM = { stream: true };

  test("of OpenAI comes as chunks, a token each, and ends with the usage where it is asked for", async () => {
    const { callee, runtime, call, settled } = await startProviderHere({});
    const fields = { ...STREAM, stream_options: { include_usage: true } };
    const answer = await settled(call({ prompt: 80, output: 3, fields }));
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(answer.headers.get("x-ratelimit-remaining-tokens")).toBe("920");
    await runtime.advance(29);
    expect(callee.stats()).toMatchObject({ inFlight: 1, accepted: 0, tokensInWindow: 80 });
    await runtime.advance(1);
    const text = await answer.text();
    expect(callee.stats()).toMatchObject({ inFlight: 0, accepted: 1, tokensInWindow: 83 });
    const chunks = dataIn(text);
    expect(eventsIn(text).at(-1)).toEqual({ event: undefined, data: "[DONE]" });
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
    expect(chunks.map(({ choices }) => choices)).toEqual([
      [expect.objectContaining({ delta: { role: "assistant", content: "", refusal: null }, finish_reason: null })],
      ...[1, 2, 3].map(() => [expect.objectContaining({ delta: { content: "bla " }, finish_reason: null })]),
      [expect.objectContaining({ delta: {}, finish_reason: "stop" })],
      [],
    ]);
    const usage = { prompt_tokens: 80, completion_tokens: 3, total_tokens: 83 };
    expect(chunks.map((chunk) => chunk["usage"])).toEqual([null, null, null, null, null, usage]);
  });

  test("of OpenAI has no usage where it is not asked for", async () => {
    const { runtime, call, settled } = await startProviderHere({});
    const answer = await settled(call({ output: 3, fields: STREAM }));
    await runtime.advance(30);
    const text = await answer.text();
    expect(text).not.toContain("usage");
    expect(dataIn(text)).toHaveLength(5);
  });

  test("of Anthropic comes as named events, with the usage in the last but one", async () => {
    const { runtime, call, settled } = await startProviderHere({});
    const answer = await settled(
      call({ path: ANTHROPIC, prompt: 80, output: 2, fields: { ...STREAM, max_tokens: 2 } }),
    );
    await runtime.advance(20);
    const text = await answer.text();
    expect(eventsIn(text).map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    const events = dataIn(text);
    expect(events.map(({ type }) => type)).toEqual(eventsIn(text).map(({ event }) => event));
    expect(events[0]).toMatchObject({ message: { role: "assistant", content: [], usage: { input_tokens: 80 } } });
    expect(events[3]).toMatchObject({ delta: { type: "text_delta", text: "bla " } });
    expect(events[6]).toMatchObject({ delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 2 } });
  });

  test.each([OPENAI, ANTHROPIC])("of %s whose client leaves counts the tokens so far", async (path) => {
    const { callee, runtime, call, settled } = await startProviderHere({});
    const leaving = new AbortController();
    const { signal } = leaving;
    const answer = await settled(call({ path, prompt: 80, output: 300, fields: STREAM, signal }));
    await runtime.advance(79);
    leaving.abort();
    await until("it is gone", 5_000, () => callee.stats().gone === 1);
    await expect(answer.text()).rejects.toThrow();
    await runtime.advance(10_000);
    expect(callee.stats()).toMatchObject({ inFlight: 0, accepted: 0, outputTokens: 7, tokensInWindow: 87 });
    expect(runtime.pendingTimers).toBe(0);
  });

  test("goes on without its client where all is finished, and counts every token", async () => {
    const { callee, url, runtime, call, settled } = await startProviderHere({}, { finishesAll: true });
    const leaving = new AbortController();
    const answer = await settled(call({ prompt: 80, output: 300, fields: STREAM, signal: leaving.signal }));
    await runtime.advance(79);
    leaving.abort();
    await expect(answer.text()).rejects.toThrow();
    await (await fetch(`${url}stats`)).text();
    await runtime.advance(10_000);
    expect(callee.stats()).toMatchObject({ gone: 0, accepted: 1, inFlight: 0, outputTokens: 300 });
  });

  test("takes the time of the call, and of every token", async () => {
    const { callee, runtime, call } = await startProviderHere({ tokenTakesMs: 20 }, { takesMs: 500 });
    const answer = call({ output: 10, fields: STREAM });
    await until("it is in flight", 5_000, () => callee.stats().inFlight === 1);
    await runtime.advance(699);
    expect(callee.stats().accepted).toBe(0);
    await runtime.advance(1);
    expect(callee.stats().accepted).toBe(1);
    expect((await answer).status).toBe(200);
  });

  test("keeps its worker until it has ended", async () => {
    const { callee, runtime, call, settled } = await startProviderHere({}, { capacity: 1, queue: 0 });
    const first = await settled(call({ output: 2, fields: STREAM }));
    const shed = await call({ path: ANTHROPIC, output: 2 });
    expect([shed.status, shed.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await shed.json()).toMatchObject({ error: { type: "overloaded_error" } });
    await runtime.advance(20);
    await first.text();
    expect((await settled(call({ output: 2 }))).status).toBe(200);
    expect(callee.stats()).toMatchObject({ accepted: 2, shed: 1, inFlight: 0 });
  });

  test("is cut in the middle, and counts what came before", async () => {
    const phases = [{ fate: "cut", lastsMs: 60_000, takesMs: 0 }] as const;
    const { callee, runtime, call, settled } = await startProviderHere({}, { phases });
    const answer = await settled(call({ prompt: 80, output: 9, fields: STREAM }));
    const broken = expect(answer.text()).rejects.toThrow();
    await runtime.advance(50);
    await broken;
    expect(callee.stats()).toMatchObject({ cut: 1, accepted: 0, inFlight: 0, outputTokens: 5, tokensInWindow: 85 });
  });

  test("is refused where the callee streams nothing", async () => {
    const { callee, call } = await startProviderHere({ streams: false });
    const refused = await call({ fields: STREAM });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("without --stream")]);
    expect(callee.stats()).toMatchObject({ received: 0, promptTokens: 0 });
  });
});

describe("a provider that fails as it is asked to", () => {
  test.each([
    ["throttle", 429, "refused", { error: { code: "rate_limit_exceeded" } }],
    ["fail", 500, "failed", { error: { type: "server_error" } }],
  ] as const)("answers in its form: %s", async (fate, status, count, body) => {
    const phases = [{ fate, lastsMs: 60_000, takesMs: 0 }];
    const { callee, call, settled } = await startProviderHere({}, { phases });
    const answer = await settled(call({ prompt: 80, output: 9 }));
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(body);
    await until("the books are written", 5_000, () => callee.stats()[count] === 1);
    // A call that fails counts, as at OpenAI.
    expect(callee.stats()).toMatchObject({ received: 1, inFlight: 0, tokensInWindow: 80, outputTokens: 0 });
  });

  test("hangs until the client leaves", async () => {
    const { callee, call } = await startProviderHere({}, { hang: 1 });
    const leaving = new AbortController();
    const answer = call({ prompt: 80, signal: leaving.signal });
    await until("it is in flight", 5_000, () => callee.stats().inFlight === 1);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await until("it hung", 5_000, () => callee.stats().hung === 1);
    expect(callee.stats()).toMatchObject({ inFlight: 0, tokensInWindow: 80 });
  });

  test("counts no output of a client that leaves before its answer begins", async () => {
    const { callee, runtime, call } = await startProviderHere({}, { takesMs: 1_000 });
    const leaving = new AbortController();
    const answer = call({ prompt: 80, output: 9, signal: leaving.signal });
    await until("it is in flight", 5_000, () => callee.stats().inFlight === 1);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await until("it is gone", 5_000, () => callee.stats().gone === 1);
    expect(callee.stats()).toMatchObject({ inFlight: 0, tokensInWindow: 80, outputTokens: 0 });
    expect(runtime.pendingTimers).toBe(0);
  });
});
