import fc from "fast-check";
import { serializeDictionary, serializeList } from "structured-headers";
import { describe, expect, it } from "vitest";
import { toldBy } from "../../src/index.ts";

const DATE = "Mon, 23 Nov 2026 04:00:00 GMT";
const EPOCH_SECONDS = Date.parse(DATE) / 1_000;

describe("Retry-After", () => {
  it.each([
    ["7", 7_000],
    ["0", 0],
    ["Mon, 23 Nov 2026 04:00:30 GMT", 30_000],
    ["1000000000000", 366 * 86_400_000],
    ["99999999999999999999999999", 366 * 86_400_000],
  ])("of %s is a pause of %i ms", (field, pauseMs) => {
    expect(toldBy(429, { "retry-after": field, date: DATE })).toMatchObject({ pauseMs, by: "retry-after" });
  });

  it("that has passed is no pause, and nothing is wrong with it", () => {
    expect(toldBy(503, { "retry-after": "Mon, 23 Nov 2026 03:59:00 GMT", date: DATE })).toMatchObject({
      pauseMs: undefined,
      malformed: [],
    });
  });

  it("with a date is not believed without the server's own clock beside it", () => {
    expect(toldBy(503, { "retry-after": "Mon, 23 Nov 2046 04:00:00 GMT" }).pauseMs).toBeUndefined();
  });

  it.each(["-5", "1.5", "soon", "5, 10", "NaN", "Infinity", "1e3", ""])("of %j makes no sense", (field) => {
    expect(toldBy(429, { "retry-after": field, date: DATE })).toMatchObject({
      pauseMs: undefined,
      malformed: ["retry-after"],
    });
  });

  it("with a redirect, or with a 202, says something else", () => {
    for (const status of [202, 301, 200]) expect(toldBy(status, { "retry-after": "7" }).pauseMs).toBeUndefined();
  });

  it("wins over what RateLimit says", () => {
    expect(toldBy(429, { "retry-after": "3", ratelimit: '"day";r=0;t=900' })).toMatchObject({
      pauseMs: 3_000,
      by: "retry-after",
    });
  });
});

describe("what is left", () => {
  it.each([
    ["drafts 8 to 11", { ratelimit: '"burst";r=0;t=5' }],
    ["drafts 8 to 11, with a token for a name", { ratelimit: "burst;r=0;t=5" }],
    ["drafts 8 to 11, with a partition", { ratelimit: '"burst";r=0;t=5;pk=:YWJj:' }],
    ["draft 7", { ratelimit: "limit=10, remaining=0, reset=5" }],
    ["draft 6", { "ratelimit-limit": "10, 10;w=1", "ratelimit-remaining": "0", "ratelimit-reset": "5" }],
    ["before: seconds", { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5" }],
    ["before: a time", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS + 5}`, date: DATE }],
    [
      "before: a time in ms",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS + 5}000`, date: DATE },
    ],
    ["before: another name", { "x-rate-limit-remaining": "0", "x-rate-limit-reset": "5" }],
  ])("nothing, in the form of %s, is a pause until there is more", (_, headers) => {
    for (const source of [headers, new Headers(headers as Record<string, string>)])
      expect(toldBy(200, source)).toMatchObject({ pauseMs: 5_000, by: "ratelimit", malformed: [] });
  });

  it("is told of every limit, and a pause lasts until there is more of all of them", () => {
    const told = toldBy(200, { ratelimit: '"second";r=0;t=1, "minute";r=0;t=30, "day";r=7;t=5000' });
    expect(told.pauseMs).toBe(30_000);
    expect(told.left).toEqual([
      { policy: "second", remaining: 0, resetMs: 1_000 },
      { policy: "minute", remaining: 0, resetMs: 30_000 },
      { policy: "day", remaining: 7, resetMs: 5_000_000 },
    ]);
  });

  it("something, or nothing for a time that is not told, is no pause", () => {
    expect(toldBy(200, { ratelimit: '"burst";r=1;t=5' }).pauseMs).toBeUndefined();
    expect(toldBy(200, { ratelimit: '"burst";r=0' }).pauseMs).toBeUndefined();
  });

  it("until a time is not believed without the server's own clock, and is nothing when it has passed", () => {
    expect(toldBy(200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795406400" }).pauseMs).toBeUndefined();
    const past = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS - 60}`, date: DATE };
    expect(toldBy(200, past).pauseMs).toBe(0);
  });

  it("in an answer from a cache is no word on what is left now", () => {
    expect(toldBy(200, { ratelimit: '"burst";r=0;t=5', age: "3" })).toMatchObject({ pauseMs: undefined, left: [] });
    expect(toldBy(200, { ratelimit: '"burst";r=0;t=5', age: "0" }).pauseMs).toBe(5_000);
  });

  it.each([
    { ratelimit: '"burst;r=0;t=5' },
    { ratelimit: '"burst";r=-1;t=5' },
    { ratelimit: '"burst";r=0;t=-5' },
    { ratelimit: '"burst";t=5' },
    { ratelimit: '"burst";r="0";t=5' },
    { ratelimit: '("burst");r=0;t=5' },
    { ratelimit: '"burst";r=0;t=99999999999999999999' },
    { ratelimit: '"good";r=0;t=5, ' },
    { ratelimit: "limit=10, remaining=none, reset=5" },
    { ratelimit: "limit=10, remaining=0, reset=(1 2)" },
    { "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "5" },
  ])("in a field that makes no sense is ignored, and the field is named: %j", (headers) => {
    const told = toldBy(429, headers);
    expect(told).toMatchObject({ pauseMs: undefined, by: undefined, left: [] });
    expect(told.malformed).toEqual([Object.keys(headers)[0]]);
  });
});

it("a field of more than 8,192 characters is not looked at, however well-formed", () => {
  const long = (length: number): string => `"burst";r=0;t=5;x="${"x".repeat(length - 20)}"`;
  expect(toldBy(200, { ratelimit: long(8_192) })).toMatchObject({ pauseMs: 5_000, malformed: [] });
  for (const length of [8_193, 1_000_000])
    expect(toldBy(200, { ratelimit: long(length) })).toMatchObject({ pauseMs: undefined, malformed: ["ratelimit"] });
});

describe("RateLimit-Policy", () => {
  it("declares limits: quota, window, what is counted", () => {
    const headers = { "ratelimit-policy": '"burst";q=10;w=1, "bytes";q=65535;qu="content-bytes";w=3600' };
    expect(toldBy(200, headers).policies).toEqual([
      { policy: "burst", quota: 10, windowMs: 1_000, unit: "requests" },
      { policy: "bytes", quota: 65_535, windowMs: 3_600_000, unit: "content-bytes" },
    ]);
    expect(toldBy(200, { "ratelimit-policy": "10;w=60" }).policies).toEqual([
      { policy: undefined, quota: 10, windowMs: 60_000, unit: "requests" },
    ]);
    expect(toldBy(200, { "ratelimit-policy": "ten per second" })).toMatchObject({
      policies: [],
      malformed: ["ratelimit-policy"],
    });
  });
});

describe("any fields at all", () => {
  const field = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'"r=t;,0159 -.:()?@%ab') }),
    fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat(), fc.nat())).map((limits) =>
      serializeList(
        limits.map(([name, r, t]) => [
          name,
          new Map([
            ["r", r],
            ["t", t],
          ]),
        ]),
      ),
    ),
    fc.tuple(fc.nat(), fc.nat()).map(([remaining, reset]) => serializeDictionary({ remaining, reset } as never)),
    fc.double().map(String),
  );
  const names = [
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
    "ratelimit-remaining",
    "ratelimit-reset",
    "age",
    "date",
  ];
  const headers = fc.dictionary(fc.constantFrom(...names, "x-ratelimit-remaining", "x-ratelimit-reset"), field);

  it("are read without a throw, and a pause is a time that a timer can count", () => {
    fc.assert(
      fc.property(fc.constantFrom(200, 301, 429, 503), headers, (status, source) => {
        const { pauseMs = 0, left } = toldBy(status, source);
        expect(pauseMs).toBeGreaterThanOrEqual(0);
        expect(pauseMs).toBeLessThan(1e18);
        for (const { remaining } of left) expect(remaining).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
