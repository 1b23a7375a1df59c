import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { VirtualRuntime } from "@dt/core/testing";
import { until } from "@dt-tooling/backends";
import { expect, test } from "vitest";
import { Provider } from "../../src/callee/provider/provider.ts";
import { ANTHROPIC, OPENAI, perMinute, startProviderHere } from "../support/provider.ts";

const MESSAGES = [{ role: "user", content: "Hello" }];

const BODIES: readonly (readonly [body: string, status: number, message: string])[] = [
  ["", 400, "the body is no JSON"],
  ["{", 400, "the body is no JSON"],
  ["[".repeat(200_000), 400, "the body is no JSON"],
  ["null", 400, "the body is no JSON object"],
  ["[]", 400, "the body is no JSON object"],
  ["{}", 400, "messages is no list"],
  [JSON.stringify({ messages: [] }), 400, "messages is no list"],
  [JSON.stringify({ messages: "Hello" }), 400, "messages is no list"],
  [JSON.stringify({ messages: [null] }), 400, "a message is no object"],
  [JSON.stringify({ messages: [{ content: 7 }] }), 400, "neither a text nor a list of parts"],
  [JSON.stringify({ messages: [{ content: [7] }] }), 400, "neither a text nor a list of parts"],
  [JSON.stringify({ messages: MESSAGES, system: 7 }), 400, "neither a text nor a list of parts"],
  [JSON.stringify({ messages: MESSAGES, max_tokens: -1 }), 400, "max_tokens is no whole number"],
  [JSON.stringify({ messages: MESSAGES, max_tokens: 0 }), 400, "max_tokens is no whole number"],
  [JSON.stringify({ messages: MESSAGES, max_tokens: 1.5 }), 400, "max_tokens is no whole number"],
  [JSON.stringify({ messages: MESSAGES, max_tokens: "9" }), 400, "max_tokens is no whole number"],
  [`{"messages":${JSON.stringify(MESSAGES)},"max_tokens":1e999}`, 400, "max_tokens is no whole number"],
  [JSON.stringify({ messages: MESSAGES, stream: "yes" }), 400, "stream is neither true nor false"],
  [JSON.stringify({ messages: MESSAGES, stream_options: [] }), 400, "stream_options is no object"],
  [JSON.stringify({ messages: MESSAGES, model: "m".repeat(257) }), 400, "model is no text"],
  [JSON.stringify({ messages: MESSAGES, model: 7 }), 400, "model is no text"],
  ["x".repeat(1_000_000), 413, "the body is larger than 524288 bytes"],
  [JSON.stringify({ messages: [{ content: "x".repeat(2_000_000) }] }), 413, "the body is larger than 524288 bytes"],
];

test.each([OPENAI, ANTHROPIC])("bodies that are no calls of %s count nothing", async (path) => {
  const { callee, url, call, settled } = await startProviderHere({});
  for (const [body, status, message] of BODIES) {
    const answer = await fetch(`${url}${path}`, { method: "POST", body });
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(message)]);
  }
  expect(callee.stats()).toMatchObject({ received: 0, promptTokens: 0, tokensInWindow: 0, peakInFlight: 0 });
  expect((await settled(call({ path, output: 1 }))).status).toBe(200);
});

test.each([
  ["x-prompt-tokens", "-1"],
  ["x-prompt-tokens", "1e3"],
  ["x-prompt-tokens", "1000000001"],
  ["x-output-tokens", "0"],
  ["x-output-tokens", "100001"],
  ["x-output-tokens", "NaN"],
])("a header that states no number of tokens counts nothing: %s: %s", async (name, value) => {
  const { callee, url } = await startProviderHere({});
  const body = JSON.stringify({ messages: MESSAGES });
  const answer = await fetch(`${url}${OPENAI}`, { method: "POST", body, headers: { [name]: value } });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`${name} is no whole number`)]);
  expect(callee.stats()).toMatchObject({ received: 0, promptTokens: 0 });
});

test.each([
  ["GET", OPENAI],
  ["POST", ""],
  ["POST", "v1/completions"],
  ["PUT", "v1/messages"],
])("what is no call is answered so: %s /%s", async (method, path) => {
  const { callee, url } = await startProviderHere({});
  const answer = await fetch(`${url}${path}`, { method, ...(method !== "GET" && { body: "{}" }) });
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("give POST /v1/chat/completions or /v1/messages");
  expect(callee.stats().received).toBe(0);
});

test("a query changes nothing", async () => {
  const { call, settled } = await startProviderHere({});
  expect((await settled(call({ path: `${ANTHROPIC}?beta=true`, output: 1 }))).status).toBe(200);
});

test("a client that leaves before it has sent its body counts nothing", async () => {
  const { callee, url, call, settled } = await startProviderHere({});
  const leaving = httpRequest(`${url}${OPENAI}`, { method: "POST", headers: { "Content-Length": "1000" } });
  leaving.on("error", () => {});
  await new Promise((resolve) => leaving.write("{", resolve));
  leaving.destroy();
  expect((await settled(call({ prompt: 3, output: 1 }))).status).toBe(200);
  await until("the call has ended", 5_000, () => callee.stats().inFlight === 0);
  expect(callee.stats()).toMatchObject({ received: 1, promptTokens: 3 });
});

test("a client that has left when its body is read counts nothing", async () => {
  const provider = new Provider(
    { tokens: perMinute(1_000), streams: true, tokenTakesMs: 0 },
    undefined,
    new VirtualRuntime(),
  );
  const body = Readable.from([Buffer.from(JSON.stringify({ messages: MESSAGES }))]);
  const request = Object.assign(body, { method: "POST", url: `/${OPENAI}`, headers: {} }) as unknown as IncomingMessage;
  const came: string[] = [];
  const handler = { received: () => void came.push("received"), work: () => void came.push("work") };
  await provider.serve(request, { destroyed: true } as ServerResponse, handler);
  expect(came).toEqual([]);
  expect(provider.books()).toMatchObject({ inFlight: 0, promptTokens: 0 });
});
