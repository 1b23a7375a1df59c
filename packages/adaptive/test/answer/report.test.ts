import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportOf } from "../../src/answer/report.ts";
import { type AnswerReport, readAnswer } from "../../src/index.ts";

const DATE = "Mon, 23 Nov 2026 04:00:00 GMT";
const NOW_MS = Date.parse(DATE);
const EPOCH_SECONDS = NOW_MS / 1_000;
const YEAR_MS = 366 * 86_400_000;

/** Read where our own clock says the same as the server's. */
const read = (status: number, headers: unknown): AnswerReport => reportOf(status, headers, NOW_MS);

describe("a field that tells a wait", () => {
  it.each([
    ["retry-after", "7", 7_000],
    ["retry-after", "0", 0],
    ["retry-after", " 7 ", 7_000],
    ["retry-after", "1.5", 1_500],
    ["retry-after", ".5", 500],
    ["retry-after", "292.052427053", 292_053],
    ["retry-after", "5, 10", 10_000],
    ["retry-after", "2, 2", 2_000],
    ["retry-after", "Mon, 23 Nov 2026 04:00:30 GMT", 30_000],
    ["retry-after", "Mon, 23 Nov 2026 04:00:30 GMT, Mon, 23 Nov 2026 04:00:40 GMT", 40_000],
    ["retry-after", "Monday, 23-Nov-26 04:00:30 GMT", 30_000],
    ["retry-after", "Mon Nov 23 04:00:30 2026", 30_000],
    ["retry-after", "Mon, 23 Nov 2026 05:00:30 +0100", 30_000],
    ["retry-after", "2026-11-23T04:00:30Z", 30_000],
    ["retry-after", "2026-11-23T04:00:30.25Z", 30_250],
    ["retry-after", "2026-11-23T05:00:30+01:00", 30_000],
    ["retry-after", "2026-11-23T03:30:30-00:30", 30_000],
    ["retry-after", "2026-11-23T04:01Z", 60_000],
    ["retry-after", `${EPOCH_SECONDS + 30}`, 30_000],
    ["retry-after", `${EPOCH_SECONDS + 30}.25`, 30_250],
    ["retry-after", `${NOW_MS + 30_250}`, 30_250],
    ["retry-after", "1.5s", 1_500],
    ["retry-after", "6m0s", 360_000],
    ["retry-after", "1h2m", 3_720_000],
    ["retry-after", "20ms", 20],
    ["retry-after", "0.5ms", 1],
    ["retry-after", "2d", 2 * 86_400_000],
    ["retry-after", "10 seconds", 10_000],
    ["retry-after", "1 Minute", 60_000],
    ["retry-after", "1 hour 5 mins", 3_900_000],
    ["retry-after", "2 days", 2 * 86_400_000],
    ["retry-after", "PT1M30.5S", 90_500],
    ["retry-after", '"30"', 30_000],
    ["retry-after", "30; w=60", 30_000],
    ["retry-after", "Mon Nov 23 2026 04:00:30 GMT+0000 (Coordinated Universal Time)", 30_000],
    ["retry-after", "Mon Nov 23 2026 05:00:30 GMT+0100", 30_000],
    ["retry-after-ms", `${NOW_MS + 30_250}`, 30_250],
    ["x-ratelimit-retryafter", "3", 3_000],
    ["retry-after", "1000000000000", YEAR_MS],
    ["retry-after", "999999999", YEAR_MS],
    ["retry-after", "9".repeat(400), YEAR_MS],
    ["retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", YEAR_MS],
    ["retry-after-ms", "1500", 1_500],
    ["retry-after-ms", "0.4", 1],
    ["x-ms-retry-after-ms", "1500", 1_500],
    ["x-amz-retry-after", "1500", 1_500],
    ["x-retry-after", "3", 3_000],
    ["x-rate-limit-retry-after-seconds", "3", 3_000],
    ["retry-after-burst", "3", 3_000],
  ])("%s: %s is a pause of %i ms", (name, field, ms) => {
    for (const headers of [{ [name]: field }, { [name]: field, date: DATE }, new Headers({ [name]: field })])
      expect(read(429, headers)).toMatchObject({ pauseMs: ms, malformed: [], refused: true });
  });

  it("is compared with the server's own clock where it tells it, and otherwise with ours", () => {
    const headers = { "retry-after": "Mon, 23 Nov 2026 04:00:30 GMT", date: DATE };
    expect(reportOf(503, headers, NOW_MS + 3_600_000).pauseMs).toBe(30_000);
    expect(reportOf(503, { ...headers, date: "today" }, NOW_MS + 10_000).pauseMs).toBe(20_000);
    expect(reportOf(503, headers, Number.NaN).pauseMs).toBe(30_000);
    expect(reportOf(503, { "retry-after": headers["retry-after"] }, Number.NaN)).toMatchObject({
      pauseMs: undefined,
      malformed: ["retry-after"],
    });
    const inTwoSeconds = new Date(Date.now() + 2_000).toISOString();
    expect(readAnswer(503, { "retry-after": inTwoSeconds }).pauseMs).toBeGreaterThan(1_000);
  });

  it("that has passed is no pause, and nothing is wrong with it", () => {
    for (const field of ["Mon, 23 Nov 2026 03:59:00 GMT", "2026-11-23T03:00:00Z", `${EPOCH_SECONDS - 60}`])
      expect(read(503, { "retry-after": field, date: DATE })).toMatchObject({ pauseMs: undefined, malformed: [] });
  });

  it("has a year of two digits in the past where it would be more than 50 years ahead", () => {
    expect(read(429, { "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" })).toMatchObject({
      pauseMs: undefined,
      malformed: [],
    });
  });

  it.each([
    "-5",
    "soon",
    "NaN",
    "Infinity",
    "1e308",
    "1e3",
    "0x10",
    "",
    "5 apples",
    "s",
    "1s2",
    "Mon, 23 Foo 2026 04:00:30 GMT",
    "Mon, 99 Nov 2026 04:00:30 GMT",
    "2026-13-01T00:00:00Z",
    "2026-11-23",
    "9".repeat(100_000),
    "1s".repeat(50_000),
  ])("that makes no sense is ignored, and the field is named: %.40j", (field) => {
    expect(read(429, { "retry-after": field })).toMatchObject({ pauseMs: undefined, malformed: ["retry-after"] });
  });

  it("counts as far as it makes sense, and is named where it does not", () => {
    expect(read(429, { "retry-after": "soon, 3" })).toMatchObject({ pauseMs: 3_000, malformed: ["retry-after"] });
    expect(read(429, { "retry-after": "2", "retry-after-ms": "2500" })).toMatchObject({ pauseMs: 2_500 });
  });

  it("with a redirect, or with a 202, says something else", () => {
    for (const status of [202, 301, 200]) expect(read(status, { "retry-after": "7" }).pauseMs).toBeUndefined();
  });

  it("wins over what is left", () => {
    expect(read(429, { "retry-after": "3", ratelimit: '"day";r=0;t=900' })).toMatchObject({
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
    ["draft 8 of express-rate-limit", { ratelimit: '"100-in-1min"; r=0; t=5' }],
    ["draft 7", { ratelimit: "limit=10, remaining=0, reset=5" }],
    ["draft 6", { "ratelimit-limit": "10, 10;w=1", "ratelimit-remaining": "0", "ratelimit-reset": "5" }],
    ["before: seconds", { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5" }],
    ["before: a time", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS + 5}` }],
    ["before: a time in ms", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS + 5}000` }],
    [
      "before: a time with a fraction",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS + 4}.9996` },
    ],
    ["before: another name", { "x-rate-limit-remaining": "0", "x-rate-limit-reset": "5" }],
    [
      "GitHub's",
      {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": `${EPOCH_SECONDS + 5}`,
        "x-ratelimit-resource": "core",
        "x-ratelimit-used": "60",
      },
    ],
    ["Jira's", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-23T04:00:05Z" }],
    [
      "Discord's",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000000.1", "x-ratelimit-reset-after": "5.000" },
    ],
    [
      "OpenAI's",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "5s",
        "x-ratelimit-remaining-tokens": "10",
        "x-ratelimit-reset-tokens": "6m0s",
      },
    ],
    [
      "Anthropic's",
      {
        "anthropic-ratelimit-requests-remaining": "9",
        "anthropic-ratelimit-requests-reset": "2026-11-23T05:00:00Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-23T04:00:05Z",
      },
    ],
    ["Linear's", { "x-ratelimit-requests-remaining": "0", "x-ratelimit-requests-reset": `${NOW_MS + 5_000}` }],
    ["nest's", { "x-ratelimit-remaining-short": "0", "x-ratelimit-reset-short": "5" }],
    ["twice", { "x-ratelimit-remaining": "0, 0", "x-ratelimit-reset": "5, 5" }],
  ])("nothing, in the form of %s, is a pause until there is more", (_, headers) => {
    const names = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value] as const);
    for (const source of [
      headers,
      new Headers(headers),
      Object.fromEntries(names),
      new Map(names),
      names,
      names.flat(),
    ])
      expect(read(200, source)).toMatchObject({ pauseMs: 5_000, by: "ratelimit", malformed: [], outcome: "success" });
  });

  it("is told of every limit by its name, and a pause lasts until there is more of all of them", () => {
    const answer = read(200, { ratelimit: '"second";r=0;t=1, "minute";r=0;t=30, "day";r=7;t=5000' });
    expect(answer.pauseMs).toBe(30_000);
    expect(answer.left).toEqual([
      { policy: "second", remaining: 0, resetMs: 1_000 },
      { policy: "minute", remaining: 0, resetMs: 30_000 },
      { policy: "day", remaining: 7, resetMs: 5_000_000 },
    ]);
    expect(
      read(200, {
        "x-ratelimit-remaining-tokens": "12",
        "x-ratelimit-reset-tokens": "20ms",
        "anthropic-ratelimit-output-tokens-remaining": "3",
      }).left,
    ).toEqual([
      { policy: "tokens", remaining: 12, resetMs: 20 },
      { policy: "output-tokens", remaining: 3, resetMs: undefined },
    ]);
  });

  it("something, or nothing for a time that is not told, is no pause", () => {
    expect(read(200, { ratelimit: '"burst";r=1;t=5' }).pauseMs).toBeUndefined();
    expect(read(200, { ratelimit: '"burst";r=0' }).pauseMs).toBeUndefined();
  });

  it("until a time that has passed is a pause of nothing", () => {
    const past = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${EPOCH_SECONDS - 60}`, date: DATE };
    expect(read(200, past).pauseMs).toBe(0);
  });

  it("is not told by a reset alone, unless the answer is a refusal", () => {
    for (const [status, pauseMs] of [
      [200, undefined],
      [404, undefined],
      [429, 5_000],
    ] as const)
      expect(read(status, { "x-ratelimit-reset": "5" })).toMatchObject({ pauseMs, left: [] });
  });

  it("in an answer from a cache is no word on what is left now", () => {
    expect(read(200, { ratelimit: '"burst";r=0;t=5', age: "3" })).toMatchObject({ pauseMs: undefined, left: [] });
    expect(read(200, { ratelimit: '"burst";r=0;t=5', age: "0" }).pauseMs).toBe(5_000);
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
    { "x-ratelimit-remaining-tokens": "1e308" },
    { "x-ratelimit-remaining-tokens": "0".repeat(100_000) },
    { "anthropic-ratelimit-tokens-remaining": "NaN" },
  ])("in a field that makes no sense is ignored, and the field is named: %.60j", (headers) => {
    const answer = read(429, headers);
    expect(answer).toMatchObject({ pauseMs: undefined, by: undefined, left: [] });
    expect(answer.malformed).toEqual([Object.keys(headers)[0]]);
  });
});

it("a field of more than 8,192 characters is not looked at, however well-formed", () => {
  const long = (length: number): string => `"burst";r=0;t=5;x="${"x".repeat(length - 20)}"`;
  expect(read(200, { ratelimit: long(8_192) })).toMatchObject({ pauseMs: 5_000, malformed: [] });
  for (const length of [8_193, 1_000_000])
    expect(read(200, { ratelimit: long(length) })).toMatchObject({ pauseMs: undefined, malformed: ["ratelimit"] });
});

it("a limit that makes no sense is no field of what is left", () => {
  const headers = {
    "x-ratelimit-limit": "unlimited",
    "x-ratelimit-remaining": "5",
    "x-ratelimit-tokens-query-cost": "?",
  };
  expect(read(200, headers)).toMatchObject({ left: [{ remaining: 5 }], malformed: [] });
});

describe("RateLimit-Policy", () => {
  it("declares limits: quota, window, what is counted", () => {
    const headers = { "ratelimit-policy": '"burst";q=10;w=1, "bytes";q=65535;qu="content-bytes";w=3600' };
    expect(read(200, headers).policies).toEqual([
      { policy: "burst", quota: 10, windowMs: 1_000, unit: "requests" },
      { policy: "bytes", quota: 65_535, windowMs: 3_600_000, unit: "content-bytes" },
    ]);
    expect(read(200, { "ratelimit-policy": "10;w=60" }).policies).toEqual([
      { policy: undefined, quota: 10, windowMs: 60_000, unit: "requests" },
    ]);
    expect(read(200, { "ratelimit-policy": "ten per second" })).toMatchObject({
      policies: [],
      malformed: ["ratelimit-policy"],
    });
  });
});

describe("whether an answer is a refusal", () => {
  it.each([
    [429, {}, "overload", true],
    [503, {}, "overload", true],
    [529, {}, "overload", true],
    [504, {}, "overload", false],
    [403, { "retry-after": "1" }, "overload", true],
    [403, { "retry-after": "soon" }, "overload", true],
    [403, { "retry-after-ms": "10" }, "overload", true],
    [403, { "x-ratelimit-remaining": "0" }, "overload", true],
    [400, { ratelimit: '"p";r=0;t=1' }, "overload", true],
    [402, { "anthropic-ratelimit-tokens-remaining": "0" }, "overload", true],
    [403, {}, "ignored", false],
    [403, { "x-ratelimit-remaining": "5" }, "ignored", false],
    [403, { "x-ratelimit-reset": "5" }, "ignored", false],
    [404, { "retry-after": "" }, "ignored", false],
    [500, { "retry-after": "1" }, "failure", false],
    [200, { "x-ratelimit-remaining": "0" }, "success", false],
  ])("follows from the status %i with %j: %s, %s", (status, headers, outcome, refused) => {
    expect(read(status, headers)).toMatchObject({ outcome, refused });
  });
});

describe("any fields at all", () => {
  const field = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'"r=t;,0159 -.:()?@%abeGMTZsmh') }),
    fc.tuple(fc.constantFrom("a", '"b"'), fc.nat(), fc.nat()).map(([name, r, t]) => `${name};r=${r};t=${t}`),
    fc.tuple(fc.nat(), fc.nat()).map(([remaining, reset]) => `remaining=${remaining}, reset=${reset}`),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.tuple(fc.nat(), fc.constantFrom("ms", "s", "m0s", "h2m", "d")).map(([count, unit]) => `${count}${unit}`),
    fc.constantFrom("1e308", "-1", "NaN", "9".repeat(400), "9".repeat(100_000), "1s".repeat(40_000)),
  );
  const value = fc.oneof(field, fc.array(field, { maxLength: 3 }), fc.anything());
  const name = fc.constantFrom(
    "retry-after",
    "Retry-After",
    "retry-after-ms",
    "x-amz-retry-after",
    "ratelimit",
    "ratelimit-policy",
    "ratelimit-remaining",
    "ratelimit-reset",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-reset-after",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-tokens-reset",
    "server-timing",
    "age",
    "date",
  );
  const headers = fc.oneof(
    fc.dictionary(name, value),
    fc.array(fc.tuple(name, value)),
    fc.array(fc.tuple(name, value)).map((pairs) => new Map(pairs)),
    fc.array(fc.tuple(name, value)).map((pairs) => pairs.flat()),
    fc.dictionary(name, value).map((fields) => ({ get: (asked: string) => fields[asked] })),
    fc.anything(),
  );
  const status = fc.oneof(fc.constantFrom(200, 301, 403, 429, 500, 503, undefined), fc.double(), fc.integer());
  const clock = fc.oneof(fc.constantFrom(NOW_MS, Number.NaN), fc.double());

  it("are read without a throw, and a pause is a time from 0 to 366 days", () => {
    fc.assert(
      fc.property(status, headers, clock, (code, source, nowMs) => {
        const { pauseMs = 0, left, queueWaitMs = 0 } = reportOf(code, source, nowMs);
        for (const ms of [pauseMs, queueWaitMs, ...left.map(({ resetMs = 0 }) => resetMs)]) {
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(YEAR_MS);
        }
        for (const { remaining } of left) expect(remaining).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 3_000, seed: 34 },
    );
  });

  it("that throw when they are looked at are none", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
        get: () => {
          throw new Error("no");
        },
      },
    );
    expect(read(429, hostile)).toMatchObject({ outcome: "overload", pauseMs: undefined });
  });
});
