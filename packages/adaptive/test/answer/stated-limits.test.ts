import { describe, expect, it } from "vitest";
import { type StatedLimit, type StatedLimits, statedLimits } from "../../src/index.ts";

const DATE = "Mon, 23 Nov 2026 04:00:00 GMT";
const NOW_MS = Date.parse(DATE);
const EPOCH_SECONDS = NOW_MS / 1_000;

const read = (answer: unknown, body?: unknown): StatedLimits => statedLimits(answer, { body, nowMs: NOW_MS });

/** Those numbers of each limit that are known, by its name. */
const known = ({ limits }: StatedLimits): Record<string, Partial<StatedLimit>> =>
  Object.fromEntries(
    limits.map(({ name, unit, roundedTo, exceeded, ...numbers }) => [
      String(name),
      Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
    ]),
  );

const failed = (fields: object, message = "failed"): Error => Object.assign(new Error(message), fields);

describe("the fields of a provider", () => {
  it("OpenAI: durations until full, for requests, tokens and the tokens of a project", () => {
    const answer = read({
      status: 200,
      headers: new Headers({
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-limit-project-tokens": "60000",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-remaining-project-tokens": "0",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-reset-project-tokens": "12ms",
      }),
    });
    expect(known(answer)).toEqual({
      requests: { limit: 60, remaining: 59, resetMs: 1_000 },
      tokens: { limit: 150_000, remaining: 149_984, resetMs: 360_000 },
      "project-tokens": { limit: 60_000, remaining: 0, resetMs: 12 },
    });
    expect(answer).toMatchObject({ retryAfterMs: undefined, refused: false, ignored: 0 });
    expect(new Map(answer.limits.map(({ name, unit }) => [name, unit]))).toEqual(
      new Map([
        ["requests", "requests"],
        ["tokens", "tokens"],
        ["project-tokens", "tokens"],
      ]),
    );
  });

  it("OpenAI: a refusal, in milliseconds and in seconds", () => {
    const headers = { "retry-after-ms": "1499", "retry-after": "1" };
    expect(read({ status: 429, headers })).toEqual({ limits: [], retryAfterMs: 1_499, refused: true, ignored: 0 });
  });

  it("Azure: -1 is absent, and 0 is not", () => {
    const headers = {
      "x-ratelimit-limit-tokens": "-1",
      "x-ratelimit-remaining-tokens": "-1",
      "x-ratelimit-reset-tokens": "0",
    };
    const answer = read({ status: 200, headers });
    expect(known(answer)).toEqual({ tokens: { resetMs: 0 } });
    expect(answer).toMatchObject({ refused: false, ignored: 2 });
    expect(known(read({ status: 200, headers: { "x-ratelimit-remaining-tokens": "0" } }))).toEqual({
      tokens: { remaining: 0 },
    });
  });

  it("Azure: a refusal that has its time in another spelling", () => {
    const headers = { "x-rate-limit-reset-tokens": "55", "x-ratelimit-remaining-requests": "3" };
    expect(known(read({ status: 429, headers }))).toEqual({ tokens: { resetMs: 55_000 }, requests: { remaining: 3 } });
    expect(read({ status: 429, headers: { "retry-after-ms": "86400000" } }).retryAfterMs).toBe(86_400_000);
    expect(read({ status: 429, headers: { "x-ms-retry-after-ms": "250" } }).retryAfterMs).toBe(250);
  });

  it("Anthropic: times of RFC 3339, tokens in thousands", () => {
    const answer = read({
      status: 200,
      headers: {
        date: DATE,
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-23T04:00:01Z",
        "anthropic-ratelimit-tokens-limit": "38000",
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-23T04:01:00Z",
        "anthropic-ratelimit-input-tokens-limit": "30000",
        "anthropic-ratelimit-input-tokens-remaining": "29000",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-23T04:00:02.5Z",
        "anthropic-ratelimit-output-tokens-limit": "8000",
        "anthropic-ratelimit-output-tokens-remaining": "8000",
        "anthropic-ratelimit-output-tokens-reset": "2026-11-23T03:59:59Z",
      },
    });
    expect(known(answer)).toEqual({
      requests: { limit: 50, remaining: 49, resetMs: 1_000 },
      tokens: { limit: 38_000, remaining: 0, resetMs: 60_000 },
      "input-tokens": { limit: 30_000, remaining: 29_000, resetMs: 2_500 },
      "output-tokens": { limit: 8_000, remaining: 8_000, resetMs: 0 },
    });
    expect(answer.limits.map(({ roundedTo }) => roundedTo)).toEqual([1, 1_000, 1_000, 1_000]);
    expect(answer.ignored).toBe(0);
  });

  it("Anthropic: a refusal by a spend cap has no time", () => {
    const body = { type: "error", error: { type: "rate_limit_error", message: "You have reached your usage limits." } };
    const headers = { "anthropic-ratelimit-requests-remaining": "49" };
    expect(read({ status: 429, headers }, body)).toMatchObject({ refused: true, retryAfterMs: undefined, ignored: 0 });
  });

  it("Gemini: the pause is in the body, beside the quotas that were exceeded", () => {
    const body = {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [
              { quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", quotaValue: "15" },
              { quotaId: "GenerateContentInputTokensPerModelPerDay-FreeTier" },
            ],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
        ],
      },
    };
    const response = { status: 429, headers: {} };
    const text = JSON.stringify(body);
    for (const answer of [
      read(response, body),
      read(response, [body]),
      read(response, text),
      read(response, `[${text}]`),
      read(failed({ statusCode: 429, responseHeaders: {}, responseBody: text, data: { error: { code: 429 } } })),
      read(failed({ lastError: failed({ statusCode: 429, responseBody: text }) })),
      read(failed({ status: 429 }, text)),
      read(failed({ response: { status: 429, headers: {}, data: body } })),
      read(failed({ cause: failed({ response: { statusCode: 429, headers: {}, body: text } }) })),
    ]) {
      expect(answer).toMatchObject({ retryAfterMs: 34_400, refused: true, ignored: 0 });
      expect(answer.limits).toMatchObject([
        {
          name: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
          unit: "requests",
          limit: 15,
          remaining: undefined,
          windowMs: 60_000,
          exceeded: true,
        },
        { unit: "tokens", limit: undefined, windowMs: 86_400_000, exceeded: true },
      ]);
    }
  });

  it("Mistral: limits of a minute, and the charge", () => {
    const answer = read({
      "x-ratelimit-limit-req-minute": "50",
      "x-ratelimit-remaining-req-minute": "48",
      "x-ratelimit-limit-tokens-minute": "50000",
      "x-ratelimit-remaining-tokens-minute": "49962",
      "x-ratelimit-tokens-query-cost": "19",
    });
    expect(known(answer)).toEqual({
      "req-minute": { limit: 50, remaining: 48, windowMs: 60_000 },
      "tokens-minute": { limit: 50_000, remaining: 49_962, windowMs: 60_000 },
      tokens: { charged: 19 },
    });
    expect(answer.ignored).toBe(0);
  });

  it("Amazon: a wait in milliseconds", () => {
    expect(read({ status: 503, headers: { "x-amz-retry-after": "1500" } })).toMatchObject({
      retryAfterMs: 1_500,
      refused: true,
    });
  });
});

describe("the fields of a server", () => {
  it.each([
    [
      "drafts 8 to 11",
      {
        "ratelimit-policy": '"burst";q=100;qu="requests";w=60;pk=:b64:, "bytes";q=65535;qu="content-bytes"',
        ratelimit: '"burst";r=50;t=30',
      },
      { burst: { limit: 100, remaining: 50, resetMs: 30_000, windowMs: 60_000 }, bytes: { limit: 65_535 } },
    ],
    [
      "express-rate-limit, draft 8",
      { "ratelimit-policy": '"100-in-1min"; q=100; w=60; pk=:YWJj:', ratelimit: '"100-in-1min"; r=9; t=5' },
      { "100-in-1min": { limit: 100, remaining: 9, resetMs: 5_000, windowMs: 60_000 } },
    ],
    [
      "draft 7",
      { "ratelimit-policy": "100;w=60", ratelimit: "limit=100, remaining=50, reset=30" },
      { undefined: { limit: 100, remaining: 50, resetMs: 30_000, windowMs: 60_000 } },
    ],
    [
      "draft 7, without a policy",
      { ratelimit: "limit=100, remaining=50, reset=30" },
      { undefined: { limit: 100, remaining: 50, resetMs: 30_000 } },
    ],
    [
      "draft 6",
      {
        "ratelimit-policy": "10;w=1, 100;w=60",
        "ratelimit-limit": "10, 10;w=1, 100;w=60",
        "ratelimit-remaining": "3",
        "ratelimit-reset": "1",
      },
      { undefined: { limit: 100, windowMs: 60_000 } },
    ],
    [
      "express-rate-limit: a time",
      {
        "x-ratelimit-limit": "100",
        "x-ratelimit-remaining": "99",
        "x-ratelimit-reset": `${EPOCH_SECONDS + 60}`,
        date: DATE,
      },
      { undefined: { limit: 100, remaining: 99, resetMs: 60_000 } },
    ],
    [
      "@fastify/rate-limit: seconds from now",
      { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "99", "x-ratelimit-reset": "60" },
      { undefined: { limit: 100, remaining: 99, resetMs: 60_000 } },
    ],
    [
      "nest: a throttler of a name",
      { "x-ratelimit-limit-short": "3", "x-ratelimit-remaining-short": "0", "x-ratelimit-reset-short": "5" },
      { short: { limit: 3, remaining: 0, resetMs: 5_000 } },
    ],
    [
      "Kong: a window of a name",
      { "x-ratelimit-limit-minute": "20", "x-ratelimit-remaining-minute": "15" },
      { minute: { limit: 20, remaining: 15, windowMs: 60_000 } },
    ],
  ])("%s", (_, headers, limits) => {
    for (const source of [
      headers,
      new Headers(headers as unknown as Record<string, string>),
      Object.entries(headers),
    ]) {
      const answer = read(source);
      expect(known(answer)).toEqual(limits);
      expect(answer.ignored).toBe(0);
    }
  });

  it("draft 6: the limit in force is the one with numbers", () => {
    const { limits } = read({
      "ratelimit-policy": "10;w=1, 100;w=60",
      "ratelimit-limit": "10, 10;w=1, 100;w=60",
      "ratelimit-remaining": "3",
      "ratelimit-reset": "1",
    });
    expect(limits).toMatchObject([
      { name: undefined, unit: "requests", limit: 10, remaining: 3, resetMs: 1_000, windowMs: 1_000 },
      { name: undefined, limit: 100, remaining: undefined, windowMs: 60_000 },
    ]);
  });

  it("draft 6: the limit in force comes first, and its windows behind it", () => {
    expect(known(read({ "ratelimit-limit": "100, 10;w=1, 100;w=60", "ratelimit-remaining": "3" }))).toEqual({
      undefined: { limit: 100, remaining: 3 },
    });
  });

  it("nest: the refusal of a throttler of a name", () => {
    const answer = read({ status: 429, headers: { "retry-after-short": "5", "x-ratelimit-remaining-long": "20" } });
    expect(answer).toMatchObject({
      limits: [
        { name: "long", remaining: 20, exceeded: false },
        { name: "short", exceeded: true },
      ],
      retryAfterMs: 5_000,
      refused: true,
    });
    for (const name of ["retry-after-ms", "x-retry-after-seconds", "x-ms-retry-after-ms", "x-amz-retry-after"])
      expect(read({ status: 429, headers: { [name]: "5" } }).limits).toEqual([]);
  });

  it("are read by name where headers cannot be listed", () => {
    const fields: Record<string, string> = {
      "x-ratelimit-limit-tokens": "9",
      "x-ratelimit-remaining-project-tokens": "8",
      "anthropic-ratelimit-input-tokens-limit": "7",
      "ratelimit-limit": "6",
      "x-ratelimit-remaining-tokens-minute": "5",
      "x-ratelimit-tokens-query-cost": "4",
    };
    expect(known(read({ get: (name: string) => fields[name] }))).toEqual({
      tokens: { limit: 9, charged: 4 },
      "project-tokens": { remaining: 8 },
      "input-tokens": { limit: 7 },
      undefined: { limit: 6 },
      "tokens-minute": { remaining: 5, windowMs: 60_000 },
    });
  });

  it("from a cache are no word on what is left now", () => {
    expect(read({ ratelimit: '"burst";r=0;t=5', age: "3" })).toMatchObject({ limits: [], refused: false });
  });

  it("that were sent twice count with the lower number and the longer wait", () => {
    const headers = { "x-ratelimit-limit": "10, 8", "x-ratelimit-remaining": ["7", "5"], "x-ratelimit-reset": "1, 2" };
    expect(known(read(headers))).toEqual({ undefined: { limit: 8, remaining: 5, resetMs: 2_000 } });
  });
});

describe("the time", () => {
  it("of the answer is that of its Date, otherwise the one that is given, otherwise that of this machine", () => {
    const headers = { "retry-after": "Mon, 23 Nov 2026 04:00:30 GMT" };
    expect(statedLimits({ ...headers, date: DATE }, { nowMs: 0 }).retryAfterMs).toBe(30_000);
    expect(statedLimits(headers, { nowMs: NOW_MS + 10_000 }).retryAfterMs).toBe(20_000);
    expect(statedLimits(headers, { nowMs: Number.NaN })).toMatchObject({ retryAfterMs: undefined, ignored: 1 });
    const soon = new Date(Date.now() + 60_000).toUTCString();
    expect(statedLimits({ "retry-after": soon }).retryAfterMs).toBeGreaterThan(1_000);
  });

  it("to wait of a redirect or a 202 is about something else", () => {
    for (const status of [200, 202, 301])
      expect(read({ status, headers: { "retry-after": "7" } })).toMatchObject({
        retryAfterMs: undefined,
        refused: false,
      });
    expect(read({ status: 403, headers: { "retry-after": "7" } })).toMatchObject({
      retryAfterMs: 7_000,
      refused: true,
    });
    expect(read({ "retry-after": "7" })).toMatchObject({ retryAfterMs: 7_000, refused: false });
  });

  it("of fields wins over one in the body", () => {
    const body = { error: { details: [{ retryDelay: "34s" }] } };
    expect(read({ status: 429, headers: { "retry-after": "3" } }, body).retryAfterMs).toBe(3_000);
    expect(read({ status: 429, headers: { "retry-after": "soon" } }, body)).toMatchObject({
      retryAfterMs: 34_000,
      ignored: 1,
    });
  });

  it("is the longest of those in the body, and of the body that was given", () => {
    const longest = { error: { retry_after: 40, details: [{ retryDelay: "34s" }], data: { retryAfter: 3 } } };
    expect(read({ status: 429, headers: {} }, longest).retryAfterMs).toBe(40_000);
    const error = failed({ status: 429, headers: {}, error: longest });
    expect(read(error).retryAfterMs).toBe(40_000);
    expect(read(error, { error: { retry_after: 5 } }).retryAfterMs).toBe(5_000);
  });
});

describe("an error of a client or an SDK", () => {
  const headers = { "x-ratelimit-remaining-requests": "0", "retry-after": "2" };
  it.each([
    ["openai and Anthropic", { status: 429, headers: new Headers(headers) }],
    ["the AI SDK", { statusCode: 429, responseHeaders: headers }],
    ["the AI SDK, after retries", { lastError: failed({ statusCode: 429, responseHeaders: headers }) }],
    ["axios", { response: { status: 429, headers } }],
    ["ky", { response: new Response(null, { status: 429, headers }) }],
    ["headers alone", { headers }],
  ])("of %s", (_, fields) => {
    expect(read(failed(fields))).toMatchObject({
      limits: [{ name: "requests", remaining: 0 }],
      retryAfterMs: 2_000,
      refused: true,
    });
  });

  it("is a refusal by its names where it has no status", () => {
    expect(read(failed({}, "MCP error -32000: Rate limit exceeded"))).toMatchObject({ refused: true });
    expect(read(failed({ name: "ThrottlingException" }))).toMatchObject({ refused: true });
    expect(read(failed({}, "socket hang up"))).toEqual({
      limits: [],
      retryAfterMs: undefined,
      refused: false,
      ignored: 0,
    });
  });

  it("is no list of headers: its own times are in seconds or in milliseconds", () => {
    expect(read(failed({ retryAfter: 30_000 }))).toEqual({
      limits: [],
      retryAfterMs: undefined,
      refused: false,
      ignored: 0,
    });
  });

  it("of gRPC has the wait in its trailers or details", () => {
    const metadata = { get: (name: string) => (name === "grpc-retry-pushback-ms" ? ["1500"] : []) };
    expect(read(failed({ code: 14, details: "", metadata })).retryAfterMs).toBe(1_500);
    const statusDetails = [{ retryDelay: { seconds: "34", nanos: 200_000_000 } }];
    expect(read(failed({ code: 8, details: "", statusDetails }, "8 RESOURCE_EXHAUSTED: quota"))).toMatchObject({
      retryAfterMs: 34_200,
      refused: true,
    });
  });
});

describe("an error inside a 200", () => {
  it.each([
    ["OpenAI", { error: { type: "tokens", code: "rate_limit_exceeded", message: "Please try again" } }],
    ["OpenAI, a spent quota", { error: { code: "insufficient_quota" } }],
    ["OpenAI, an event", { type: "error", code: "rate_limit_exceeded", message: "slow down" }],
    ["OpenAI, a failed response", { type: "response.failed", response: { error: { code: "rate_limit_exceeded" } } }],
    ["OpenRouter", { error: { code: 429, message: "Provider returned error" } }],
    ["OpenRouter, the status as a text", { error: { code: "429" } }],
    ["OpenRouter, in a stream", { choices: [{ error: { code: 429, message: "Provider returned error" } }] }],
    ["Anthropic", { type: "error", error: { type: "rate_limit_error" } }],
    ["Anthropic, overloaded", { type: "error", error: { type: "overloaded_error" } }],
    ["Gemini", [{ error: { status: "RESOURCE_EXHAUSTED" } }]],
    ["Mistral", { object: "error", message: "Requests rate limit exceeded", type: "rate_limited", code: "1300" }],
    ["AWS", { __type: "com.amazon.coral.service#ThrottlingException", message: "Rate exceeded" }],
    ["Bedrock, in a stream", { throttlingException: { message: "Too many tokens" } }],
    ["a text", { error: "Too many requests, please try again later." }],
    ["JSON-RPC", { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "Rate limit exceeded" } }],
    ["MCP", { isError: true, content: [{ type: "text", text: "Rate limit exceeded" }] }],
    [
      "MCP, as JSON-RPC has it",
      { result: { isError: true, content: [{ type: "image" }, { type: "text", text: "429 Too Many Requests" }] } },
    ],
    [
      "problem details",
      {
        type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
        title: "Too much",
        "violated-policies": ["burst"],
      },
    ],
  ])("of %s is a refusal", (_, body) => {
    expect(read({ status: 200, headers: {} }, body)).toMatchObject({ refused: true, ignored: 0 });
    expect(read({ status: 200, headers: {} }, JSON.stringify(body)).refused).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["a completion", { id: "1", choices: [{ message: { content: "Rate limit exceeded" } }], usage: {} }],
    ["a null error", { error: null, message: "Rate limit exceeded" }],
    ["another error", { error: { code: "context_length_exceeded", message: "This model's maximum is 8192 tokens" } }],
    ["a result of MCP", { isError: false, content: [{ type: "text", text: "Rate limit exceeded" }] }],
    ["another error of MCP", { isError: true, content: [{ type: "text", text: "No such file" }] }],
    ["text that is no JSON", "Rate limit exceeded"],
    ["broken JSON", '{"error":{"code":429}'],
  ])("is not %s", (_, body) => {
    expect(read({ status: 200, headers: {} }, body)).toEqual({
      limits: [],
      retryAfterMs: undefined,
      refused: false,
      ignored: 0,
    });
  });

  it("may have a time: in seconds, or in milliseconds where its name ends so", () => {
    const times: readonly [object, number][] = [
      [{ error: { code: 429, retry_after: 1.5 } }, 1_500],
      [{ error: { code: 429, retryAfterMs: 250 } }, 250],
      [{ error: { code: -32_000, message: "Rate limit exceeded", data: { limit: 100, retryAfter: 45 } } }, 45_000],
      [
        {
          result: {
            isError: true,
            content: [],
            structuredContent: { error: { type: "rate_limited", retry_after_seconds: 60 } },
          },
        },
        60_000,
      ],
    ];
    for (const [body, retryAfterMs] of times)
      expect(read({ status: 200, headers: {} }, body)).toMatchObject({ retryAfterMs, refused: true, ignored: 0 });
  });

  it("may name the limits that were exceeded", () => {
    const headers = { ratelimit: '"burst";r=0;t=5, "day";r=7' };
    const answer = read({ status: 429, headers }, { type: "about:blank", "violated-policies": ["burst", "hour"] });
    expect(answer.limits).toMatchObject([
      { name: "burst", remaining: 0, exceeded: true },
      { name: "day", remaining: 7, exceeded: false },
      { name: "hour", remaining: undefined, exceeded: true, windowMs: 3_600_000 },
    ]);
    const twice = [{ quotaId: "a", quotaValue: 5 }, { quotaId: "a" }, { quotaId: "b" }, { quotaId: "b" }];
    expect(known(read({ status: 429, headers: {} }, { error: { details: [{ violations: twice }] } }))).toEqual({
      a: { limit: 5 },
      b: {},
    });
    expect(read({}, { error: { details: [{ violations: twice }] } }).limits).toHaveLength(2);
  });
});

it("options are checked", () => {
  expect(() => statedLimits({}, { nowMs: "now" as unknown as number })).toThrow(/nowMs is "now"/);
  expect(() => statedLimits({}, { bodi: {} } as object)).toThrow(/bodi/);
});
