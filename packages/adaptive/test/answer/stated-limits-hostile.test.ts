import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type StatedLimits, statedLimits } from "../../src/index.ts";

const NOW_MS = Date.parse("Mon, 23 Nov 2026 04:00:00 GMT");
const YEAR_MS = 366 * 86_400_000;
const MILLION = 1_000_000;

const read = (answer: unknown, body?: unknown): StatedLimits => statedLimits(answer, { body, nowMs: NOW_MS });

const NOTHING: StatedLimits = { limits: [], retryAfterMs: undefined, refused: false, ignored: 0 };

const nested = (depth: number, innermost: unknown, name = "error"): unknown => {
  let value = innermost;
  for (let level = 0; level < depth; level++) value = { [name]: value };
  return value;
};

/** What no count may be, as a field has it. */
const SENSELESS_COUNTS = [
  "1000000000000",
  "-1",
  "NaN",
  "Infinity",
  "1e308",
  "0x10",
  "",
  "many",
  "5\u0000",
  "5\r\nx: y",
  "9".repeat(400),
  "9".repeat(MILLION),
  "0".repeat(MILLION),
  ",".repeat(MILLION),
];

/** The same for a wait. A time that has passed is one of nothing. */
const SENSELESS_WAITS = [
  "1000000000000",
  "999999999",
  "-5",
  "NaN",
  "Infinity",
  "1e3",
  "",
  "soon",
  "5\u0007",
  "9".repeat(400),
  "9".repeat(MILLION),
  "1s".repeat(MILLION / 2),
  "Fri, 31 Dec 9999 23:59:59 GMT",
  "2026-13-01T00:00:00Z",
];

describe("a value that makes no sense is ignored and counted", () => {
  const counts = [
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-tokens",
    "anthropic-ratelimit-input-tokens-remaining",
    "ratelimit-limit",
    "x-ratelimit-tokens-query-cost",
  ];
  const waits = [
    "retry-after",
    "retry-after-short",
    "x-ratelimit-reset-tokens",
    "ratelimit-reset",
    "anthropic-ratelimit-tokens-reset",
  ];

  it.each([
    ...counts.flatMap((name) => SENSELESS_COUNTS.map((field) => [name, field] as const)),
    ...waits.flatMap((name) => SENSELESS_WAITS.map((field) => [name, field] as const)),
  ])("%s: %.30j", (name, field) => {
    const answer = read({ status: 429, headers: { [name]: field } });
    expect(answer).toMatchObject({ retryAfterMs: undefined, refused: true, ignored: 1 });
    expect(answer.limits).toEqual([]);
  });

  it("and what is beside it counts", () => {
    const answer = read({
      status: 429,
      headers: {
        "x-ratelimit-limit-tokens": "1000000000000",
        "x-ratelimit-remaining-tokens": "7",
        "x-ratelimit-reset-tokens": "soon",
        "retry-after": "-1",
        "retry-after-ms": "250",
      },
    });
    expect(answer).toMatchObject({
      limits: [{ limit: undefined, remaining: 7, resetMs: undefined }],
      retryAfterMs: 250,
      ignored: 3,
    });
  });

  it.each([
    { ratelimit: '"burst";r=-1;t=5' },
    { ratelimit: '"burst";r=0;t=-5' },
    { ratelimit: "limit=10, remaining=none" },
    { ratelimit: `"${"x".repeat(MILLION)}";r=0` },
    { ratelimit: `"${"x".repeat(300)}";r=0;t=5` },
    { ratelimit: '"burst\u0000";r=0;t=5' },
    { "ratelimit-policy": '"burst";q=-10' },
    { "ratelimit-policy": '"burst";q=1000000000000' },
    { "ratelimit-policy": '"burst";q=10;w=999999999999' },
    { "x-ratelimit-remaining-\u0007": "5" },
  ])("in a structured field or a name: %.60j", (headers) => {
    const { limits, ignored } = read({ status: 200, headers });
    expect(ignored).toBe(1);
    for (const { limit, windowMs } of limits) expect([limit, windowMs]).toEqual([10, undefined]);
  });

  it.each([
    { error: { details: [{ retryDelay: "1000000000000s" }] } },
    { error: { details: [{ retryDelay: "-34s" }] } },
    { error: { details: [{ retryDelay: "soon" }] } },
    { error: { details: [{ retryDelay: "9".repeat(MILLION) }] } },
    { error: { details: [{ retryDelay: "1s".repeat(5_000) }] } },
    { error: { details: [{ retryDelay: { seconds: "NaN" } }] } },
    { error: { details: [{ retryDelay: { seconds: Number.POSITIVE_INFINITY } }] } },
    { error: { details: [{ violations: [{ quotaId: "perMinute", quotaValue: "-15" }] }] } },
    { error: { details: [{ violations: [{ quotaId: "perMinute", quotaValue: 1e12 }] }] } },
    { error: { details: [{ violations: [{ quotaId: "per\u0000Minute" }] }] } },
    { error: { retry_after: -1 } },
    { error: { retry_after: 1e12 } },
    { error: { retryAfter: Number.NaN } },
    { error: { data: { retryAfter: "soon" } } },
  ])("in a body: %.60j", (body) => {
    expect(read({ status: 200, headers: {} }, body)).toMatchObject({ retryAfterMs: undefined, ignored: 1 });
  });
});

describe("what is large, deep or odd is looked at as far as it makes sense, and no further", () => {
  it.each([
    ["a body that is 10,000 deep", nested(10_000, "rate limit")],
    ["a body whose causes are 10,000 deep", nested(10_000, "rate limit", "cause")],
    ["a text of a body that is too long", `{"error":{"code":429},"a":"${"x".repeat(MILLION)}"}`],
    ["a text of a body that is deep", "[".repeat(10_000)],
    ["a million digits", "9".repeat(MILLION)],
    ["a list of a million", Array.from({ length: MILLION }, () => 0)],
    ["a million members", Object.fromEntries(Array.from({ length: MILLION }, (_, at) => [`retry_${at}`, at]))],
  ])("%s", (_, body) => {
    expect(read({ status: 200, headers: {} }, body)).toEqual(NOTHING);
    expect(read(Object.assign(new Error("failed"), { error: body, data: body, body }))).toEqual(NOTHING);
    expect(read(body)).toEqual(NOTHING);
  });

  it("names of a million characters, and lists of a million headers", () => {
    expect(read({ ["ratelimit".repeat(MILLION / 9)]: "1" })).toEqual(NOTHING);
    expect(read({ [`x-ratelimit-remaining${"-ratelimit".repeat(MILLION / 10)}`]: "1" })).toEqual(NOTHING);
    const pairs = Array.from({ length: MILLION }, () => ["x-ratelimit-remaining", "1"]);
    expect(read(pairs)).toMatchObject({ limits: [{ remaining: 1 }], ignored: 0 });
    expect(read({ "x-ratelimit-remaining": nested(10_000, "1") })).toEqual(NOTHING);
    let list: unknown = "1";
    for (let depth = 0; depth < 10_000; depth++) list = [list];
    expect(read({ "x-ratelimit-remaining": list, "x-ratelimit-limit": "5" }).limits).toMatchObject([{ limit: 5 }]);
  });

  it("keys of prototypes", () => {
    const headers = JSON.parse('{"__proto__":{"retry-after":"5"},"constructor":"5","toString":"5"}') as unknown;
    expect(read({ status: 200, headers })).toEqual(NOTHING);
    const { limits } = read({ "x-ratelimit-remaining-__proto__": "5", ratelimit: '"constructor";r=1' });
    expect(limits.map(({ name }) => name)).toEqual(["constructor", "__proto__"]);
    expect(read({}, JSON.parse('{"__proto__":{"error":{"code":429}}}'))).toEqual(NOTHING);
    expect({}).not.toHaveProperty("retry-after");
  });

  it("anything that throws when it is looked at", () => {
    const no = (): never => {
      throw new Error("no");
    };
    const hostile: object = new Proxy({}, { get: no, has: no, ownKeys: no });
    const proxy: object = new Proxy({}, hostile);
    const thrower = Object.defineProperty({}, "error", { get: no, enumerable: true });
    for (const odd of [thrower, proxy, hostile]) {
      expect(read({ status: 429, headers: odd }, odd)).toMatchObject({ refused: true, retryAfterMs: undefined });
      expect(read(odd)).toMatchObject({ limits: [], refused: false });
    }
    expect(read({}, thrower)).toMatchObject({ limits: [], ignored: 1 });
    expect(read(Object.assign(new Error("failed"), { details: [{ retryDelay: { seconds: Symbol("5") } }] }))).toEqual({
      ...NOTHING,
      ignored: 1,
    });
  });
});

describe("any answer at all", () => {
  const field = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'"r=t;,0159 -.:()?@%abeGMTZsmh') }),
    fc.tuple(fc.constantFrom("a", '"b"'), fc.nat(), fc.nat()).map(([name, r, t]) => `${name};r=${r};t=${t}`),
    fc.tuple(fc.nat(), fc.nat()).map(([remaining, reset]) => `limit=9, remaining=${remaining}, reset=${reset}`),
    fc.tuple(fc.nat(), fc.nat()).map(([quota, window]) => `"b";q=${quota};w=${window}`),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.tuple(fc.nat(), fc.constantFrom("ms", "s", "m0s", "h2m", "d")).map(([count, unit]) => `${count}${unit}`),
    fc.constantFrom(...SENSELESS_COUNTS, ...SENSELESS_WAITS),
  );
  const value = fc.oneof(field, fc.array(field, { maxLength: 3 }), fc.anything());
  const kind = fc.constantFrom("limit", "remaining", "reset", "reset-after", "query-cost");
  const what = fc.constantFrom("", "-requests", "-tokens", "-project-tokens", "-__proto__", "-minute");
  const name = fc.oneof(
    fc.tuple(fc.constantFrom("ratelimit-", "x-ratelimit-", "X-Rate-Limit-"), kind, what).map((parts) => parts.join("")),
    fc.tuple(what, kind).map(([limit, number]) => `anthropic-ratelimit${limit}-${number}`),
    fc.constantFrom(
      "retry-after",
      "Retry-After-ms",
      "x-amz-retry-after",
      "ratelimit",
      "ratelimit-policy",
      "age",
      "date",
    ),
  );
  const headers = fc.oneof(
    fc.dictionary(name, value),
    fc.array(fc.tuple(name, value)),
    fc.array(fc.tuple(name, value)).map((pairs) => new Map(pairs)),
    fc.array(fc.tuple(name, value)).map((pairs) => pairs.flat()),
    fc.dictionary(name, value).map((fields) => ({ get: (asked: string) => fields[asked] })),
    fc.anything(),
  );
  const detail = fc.record(
    {
      retryDelay: value,
      violations: fc.oneof(
        fc.anything(),
        fc.array(fc.record({ quotaId: value, quotaValue: value }, { requiredKeys: [] })),
      ),
    },
    { requiredKeys: [] },
  );
  const error = fc.record(
    {
      code: fc.oneof(fc.anything(), fc.constantFrom(429, "rate_limit_exceeded")),
      message: value,
      retry_after: value,
      details: fc.oneof(fc.anything(), fc.array(detail)),
      "violated-policies": fc.oneof(fc.anything(), fc.array(value)),
      data: fc.record({ retryAfterMs: value }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.anything(),
    error,
    error.map((inner) => ({ error: inner })),
    error.map((inner) => JSON.stringify({ error: inner.code })),
    fc.record({ isError: fc.boolean(), content: fc.oneof(fc.anything(), fc.array(fc.record({ text: value }))) }),
  );
  const status = fc.oneof(fc.constantFrom(200, 202, 403, 429, 500, 503, undefined), fc.double(), fc.integer());
  const answer = fc.oneof(
    headers,
    fc.record({ status, headers }),
    fc
      .record({ statusCode: status, responseHeaders: headers, data: body, lastError: fc.anything() })
      .map((fields) => Object.assign(new Error("failed"), fields)),
    fc.anything(),
  );
  const clock = fc.oneof(fc.constantFrom(NOW_MS, Number.NaN), fc.double());

  it("is read without a throw, and every number is one that makes sense", () => {
    fc.assert(
      fc.property(answer, body, clock, (given, parsed, nowMs) => {
        const { limits, retryAfterMs = 0, ignored } = statedLimits(given, { body: parsed, nowMs });
        expect(Number.isSafeInteger(ignored) && ignored >= 0).toBe(true);
        expect(retryAfterMs).toBeGreaterThanOrEqual(0);
        expect(retryAfterMs).toBeLessThan(YEAR_MS);
        for (const { name = "", limit = 0, remaining = 0, charged = 0, resetMs = 0, windowMs = 0 } of limits) {
          expect(name).not.toMatch(/\p{Cc}/u);
          for (const count of [limit, remaining, charged]) expect(count >= 0 && count < 1e12).toBe(true);
          for (const ms of [resetMs, windowMs]) expect(Number.isInteger(ms) && ms >= 0 && ms < YEAR_MS).toBe(true);
        }
      }),
      { numRuns: 3_000, seed: 38 },
    );
  });

  it("counts a field for each value that makes no sense, and no other", () => {
    const good = fc.record({
      remaining: fc.nat().map(String),
      reset: fc.integer({ min: 0, max: 86_400 }).map((seconds) => `${seconds}s`),
    });
    const bad = fc.record({
      remaining: fc.constantFrom(...SENSELESS_COUNTS),
      reset: fc.constantFrom(...SENSELESS_WAITS),
    });
    fc.assert(
      fc.property(fc.array(good, { maxLength: 5 }), fc.array(bad, { maxLength: 5 }), (right, wrong) => {
        const given = Object.fromEntries(
          [...right, ...wrong].flatMap(({ remaining, reset }, at) => [
            [`x-ratelimit-remaining-a${at}`, remaining],
            [`x-ratelimit-reset-a${at}`, reset],
          ]),
        );
        const { limits, ignored } = read(given);
        expect(ignored).toBe(2 * wrong.length);
        const whole = limits.filter(({ remaining, resetMs }) => remaining !== undefined && resetMs !== undefined);
        expect(whole.length).toBe(right.length);
        expect(limits.length).toBe(whole.length);
      }),
      { numRuns: 300, seed: 38 },
    );
  });
});
