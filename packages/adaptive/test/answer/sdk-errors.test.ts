import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifierOf, classify, createAnswerReader } from "../../src/index.ts";

const failed = (fields: object): { error: Error } => ({ error: Object.assign(new Error("failed"), fields) });
const nothingLeft = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1.5s" };

/** A field of a message of protocol buffers: bytes where they are given, else a number below 128. */
const field = (number: number, value: number | Uint8Array): number[] =>
  typeof value === "number" ? [number << 3, value] : [(number << 3) | 2, value.length, ...value];
const message = (...fields: number[][]): Uint8Array => Uint8Array.from(fields.flat());
const retryInfo = message(field(1, message(field(1, 34), [0x10, 0x80, 0x84, 0xaf, 0x5f])));
const any = message(
  field(1, new TextEncoder().encode("type.googleapis.com/google.rpc.RetryInfo")),
  field(2, retryInfo),
);
const status = Buffer.from(message(field(1, 8), field(2, new TextEncoder().encode("quota")), field(3, any)));
const geminiText = JSON.stringify({ error: { code: 429, details: [{ retryDelay: "34.2s" }] } });
const trailers = (fields: Record<string, unknown>) => ({
  get: (name: string) => (name in fields ? [fields[name]] : []),
});

describe("an error tells what its answer tells, as it is made by", () => {
  it.each([
    ["openai and Anthropic", { status: 400, headers: new Headers(nothingLeft), error: {} }],
    ["openai before", { status: 400, headers: nothingLeft }],
    ["axios", { code: "ERR_BAD_REQUEST", status: 400, response: { status: 400, headers: new Headers(nothingLeft) } }],
    ["got", { code: "ERR_NON_2XX_3XX_RESPONSE", response: { statusCode: 400, headers: nothingLeft } }],
    ["undici", { code: "UND_ERR_RESPONSE", statusCode: 400, headers: nothingLeft }],
    ["ky", { response: new Response(null, { status: 400, headers: nothingLeft }) }],
    ["Octokit", { status: 400, response: { status: 400, headers: nothingLeft } }],
    ["the AI SDK", { statusCode: 400, responseHeaders: nothingLeft }],
    [
      "the AWS SDK",
      { name: "Odd", $metadata: { httpStatusCode: 400 }, $response: { statusCode: 400, headers: nothingLeft } },
    ],
    ["the Azure SDK", { code: "Throttled", statusCode: 400, response: { status: 400, headers: nothingLeft } }],
    ["Kubernetes, HubSpot and Cosmos DB", { code: 400, body: {}, headers: nothingLeft }],
    ["SendGrid", { code: 400, response: { headers: nothingLeft, body: {} } }],
    ["Shopify", { response: { code: 400, headers: nothingLeft } }],
    ["the AI SDK, after retries", { lastError: failed({ statusCode: 400, responseHeaders: nothingLeft }).error }],
    ["a wrapper", { cause: failed({ status: 400, headers: nothingLeft }).error }],
  ])("%s", (_, fields) => {
    expect(classify(failed(fields))).toMatchObject({ outcome: "overload", refused: true, retryAfterMs: 1_500 });
  });

  it.each([
    [
      "grpc-js, in bytes",
      { code: 8, details: "quota", metadata: trailers({ "grpc-status-details-bin": status }) },
      34_200,
    ],
    [
      "grpc-js, pushed back",
      { code: 14, details: "", metadata: trailers({ "grpc-retry-pushback-ms": "1500" }) },
      1_500,
    ],
    [
      "Connect",
      { code: 8, rawMessage: "quota", details: [{ type: "google.rpc.RetryInfo", value: retryInfo }] },
      34_200,
    ],
    [
      "google-gax",
      { code: 8, details: "", statusDetails: [{ retryDelay: { seconds: "34", nanos: 200_000_000 } }] },
      34_200,
    ],
    [
      "Google's JSON",
      { code: 8, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.2s" }] },
      34_200,
    ],
    ["Gemini", { status: 429, errorDetails: [{ retryDelay: "34.2s" }] }, 34_200],
    ["Gemini's body, in the AI SDK", { statusCode: 429, responseHeaders: {}, responseBody: geminiText }, 34_200],
    ["Gemini's body, in axios", { response: { status: 429, headers: {}, data: JSON.parse(geminiText) } }, 34_200],
    ["Gemini's body, in Google's SDK", { status: 429, message: geminiText }, 34_200],
  ])("%s", (_, fields, retryAfterMs) => {
    expect(classify(failed(fields))).toMatchObject({ outcome: "overload", refused: true, retryAfterMs });
  });

  it("a number as its code without headers: no answer", () => {
    expect(classify(failed({ code: 429 }))).toEqual({ outcome: "failure" });
  });

  it("anything that makes no sense, without a throw and within bounds", () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const fields = fc.record({
      code: fc.constantFrom(8, 14, 99),
      details: fc.oneof(
        fc.anything(),
        fc.array(
          fc.record(
            { retryDelay: fc.anything(), type: fc.constant("google.rpc.RetryInfo"), value: bytes },
            { requiredKeys: [] },
          ),
        ),
      ),
      metadata: fc.oneof(
        fc.anything(),
        bytes.map((value) => trailers({ "grpc-status-details-bin": value })),
        fc.string().map((value) => trailers({ "grpc-retry-pushback-ms": value })),
      ),
    });
    fc.assert(
      fc.property(fields, (given) => {
        const { retryAfterMs = 0 } = classify(failed(given));
        expect(retryAfterMs).toBeGreaterThanOrEqual(0);
        expect(retryAfterMs).toBeLessThanOrEqual(366 * 86_400_000);
      }),
      { numRuns: 1_000, seed: 34 },
    );
    for (let length = 0; length < status.length; length++)
      classify(failed({ code: 8, metadata: trailers({ "grpc-status-details-bin": status.subarray(0, length) }) }));
  });

  it("itself, throwing when it is looked at: a failure like any other", () => {
    const error = new Error("odd");
    for (const name of ["response", "headers", "status"])
      Object.defineProperty(error, name, {
        get: () => {
          throw new Error("no");
        },
      });
    expect(classify({ error })).toEqual({ outcome: "failure" });
  });
});

describe("a hook", () => {
  const reader = createAnswerReader({
    readAnswer: ({ status: code, header, source }) => {
      if (header("x-fine") !== undefined) return { refused: false };
      const { retryAfter } = (source ?? {}) as { readonly retryAfter?: number };
      if (retryAfter !== undefined) return { pauseMs: retryAfter * 1_000 };
      return code === 418 ? { refused: true } : undefined;
    },
  });
  const of = classifierOf(reader);

  it("tells of answers and of errors without one, and leaves the rest to what is known", () => {
    expect(of(failed({ code: "slack_webapi_rate_limited_error", retryAfter: 30 }))).toMatchObject({
      outcome: "overload",
      refused: true,
      retryAfterMs: 30_000,
    });
    expect(of({ value: { status: 418, headers: {} } })).toMatchObject({ outcome: "overload", refused: true });
    expect(of({ value: { status: 429, headers: { "x-fine": "1" } } })).toMatchObject({ outcome: "ignored" });
    expect(of({ value: { status: 503, headers: { "X-Fine": "1" } } })).toMatchObject({ outcome: "failure" });
    expect(of({ value: { status: 429, headers: { "retry-after": "2" } } })).toMatchObject({ retryAfterMs: 2_000 });
    expect(of({ error: "a string" })).toEqual({ outcome: "failure" });
  });
});
