import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { parseList } from "structured-headers";
import { describe, expect, test } from "vitest";
import { createServerLimit, type FieldForm, type QuotaPolicy, type ServerLimit } from "../../src/server/index.ts";
import { field, request, said } from "./support/ask.ts";

const perClient = { name: "per-client", rate: "3/10s", key: ({ address }) => address } satisfies QuotaPolicy;

function limitOf(runtime: VirtualRuntime, ...policies: QuotaPolicy[]): ServerLimit {
  return createServerLimit({ policies, runtime });
}

async function times(limit: ServerLimit, count: number, address?: string): Promise<string[]> {
  const all = [];
  for (let i = 0; i < count; i++) all.push(said(await limit.admit(request(address))));
  return all;
}

describe("a quota", () => {
  test("is each key's own, and is there again when its window has ended", async () => {
    const runtime = new VirtualRuntime();
    const limit = limitOf(runtime, perClient);
    expect(await times(limit, 4)).toEqual(["200", "200", "200", "429 10"]);
    expect(await times(limit, 1, "10.0.0.2")).toEqual(["200"]);
    await runtime.advance(9_999);
    expect(await times(limit, 1)).toEqual(["429 1"]);
    await runtime.advance(1);
    expect(await times(limit, 4)).toEqual(["200", "200", "200", "429 10"]);
    expect(limit.status()).toMatchObject({ allowed: 7, refused: 3, shed: 0, quotas: { "per-client": { keys: 1 } } });
  });

  test("lets through whoever comes when it was told to, whatever came before", async () => {
    const step = fc.record({ pauseMs: fc.integer({ min: 0, max: 4_000 }), cost: fc.integer({ min: 1, max: 3 }) });
    const quota = fc.integer({ min: 3, max: 6 });
    const windowMs = fc.integer({ min: 300, max: 9_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), quota, windowMs, async (steps, most, window) => {
        const runtime = new VirtualRuntime();
        const cost = ({ raw }: { raw: unknown }): number => raw as number;
        const limit = createServerLimit({ policies: [{ name: "q", rate: `${most}/${window}ms`, cost }], runtime });
        for (const { pauseMs, cost: raw } of steps) {
          await runtime.advance(pauseMs);
          const admission = await limit.admit({ ...request(), raw });
          if (admission.allowed) continue;
          await runtime.advance(Number(field(admission, "retry-after")) * 1_000);
          const again = await limit.admit({ ...request(), raw });
          expect(again.allowed).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("is not touched by a request that another one refuses", async () => {
    const runtime = new VirtualRuntime();
    const scarce: QuotaPolicy = { name: "scarce", rate: "1/2s" };
    const limit = limitOf(runtime, perClient, scarce);
    expect(await times(limit, 6)).toEqual(["200", "429 2", "429 2", "429 2", "429 2", "429 2"]);
    const refused = await limit.admit(request());
    expect(parseList(field(refused, "ratelimit") ?? "")).toEqual([
      [
        "per-client",
        new Map([
          ["r", 2],
          ["t", 10],
        ]),
      ],
      [
        "scarce",
        new Map([
          ["r", 0],
          ["t", 2],
        ]),
      ],
    ]);
    expect(!refused.allowed && JSON.parse(refused.body)).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Request cannot be satisfied as assigned quota has been exceeded",
      status: 429,
      "violated-policies": ["scarce"],
    });
  });

  test("used up together with another one is told with the later of the two times", async () => {
    const limit = limitOf(new VirtualRuntime(), { ...perClient, rate: "1/10s" }, { name: "all", rate: "1/min" });
    await limit.admit(request());
    const refused = await limit.admit(request());
    expect(said(refused)).toBe("429 60");
    expect(!refused.allowed && JSON.parse(refused.body)["violated-policies"]).toEqual(["per-client", "all"]);
  });

  test("that a single request exceeds is told with no time to come again", async () => {
    const limit = limitOf(new VirtualRuntime(), { ...perClient, cost: 4 });
    expect(await times(limit, 2)).toEqual(["429 never", "429 never"]);
  });

  test("does not count requests without a key", async () => {
    const limit = limitOf(new VirtualRuntime(), { ...perClient, key: () => undefined });
    const admission = await limit.admit(request());
    expect([admission.allowed, admission.fields]).toEqual([true, []]);
    expect(new Set(await times(limit, 20))).toEqual(new Set(["200"]));
  });

  test("tells long keys apart, whatever they have in common, and partitions hear of them whole", async () => {
    const long = "x".repeat(15_000);
    const partition = (key: string): string => String(key.length);
    const limit = limitOf(new VirtualRuntime(), { ...perClient, rate: "1/10s", partition });
    expect([...(await times(limit, 2, `${long}1`)), ...(await times(limit, 1, `${long}2`))]).toEqual([
      "200",
      "429 10",
      "200",
    ]);
    const refused = await limit.admit(request(`${long}2`));
    expect(field(refused, "ratelimit")).toBe(`"per-client";r=0;t=10;pk=:${btoa("15001")}:`);
  });

  test("remembers no more keys than it may, and says how many windows it forgot", async () => {
    const runtime = new VirtualRuntime();
    const limit = limitOf(runtime, { ...perClient, maxKeys: 100 });
    for (let i = 0; i < 1_000; i++) await limit.admit(request(`client ${i}`));
    expect(limit.status().quotas).toEqual({ "per-client": { keys: 100, forgotten: 900 } });
    // Those that ended are not missed: they go as others come.
    await runtime.advance(10_000);
    for (let i = 0; i < 60; i++) await limit.admit(request(`later ${i}`));
    expect(limit.status().quotas).toEqual({ "per-client": { keys: 60, forgotten: 900 } });
  });
});

describe("the fields", () => {
  test.each<[FieldForm, Record<string, string>]>([
    ["ratelimit", { "RateLimit-Policy": '"q";q=100;w=60', RateLimit: '"q";r=99;t=60' }],
    ["draft-7", { "RateLimit-Policy": "100;w=60", RateLimit: "limit=100, remaining=99, reset=60" }],
    [
      "draft-6",
      {
        "RateLimit-Policy": "100;w=60",
        "RateLimit-Limit": "100",
        "RateLimit-Remaining": "99",
        "RateLimit-Reset": "60",
      },
    ],
    ["x-ratelimit", { "X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "99", "X-RateLimit-Reset": "60" }],
  ])("in the form %s", async (form, fields) => {
    const policies: QuotaPolicy[] = [{ name: "q", rate: "100/min" }];
    const limit = createServerLimit({ policies, fields: [form], runtime: new VirtualRuntime() });
    expect(Object.fromEntries((await limit.admit(request())).fields)).toEqual(fields);
  });

  test("of older forms speak of the policy that is nearest to its end", async () => {
    const runtime = new VirtualRuntime();
    const policies: QuotaPolicy[] = [
      { name: "day", rate: "1000/day" },
      { name: "second", rate: "2/s" },
    ];
    const limit = createServerLimit({ policies, fields: ["x-ratelimit"], runtime });
    expect(field(await limit.admit(request()), "x-ratelimit-limit")).toBe("2");
  });

  test("of older forms speak of the policy that refused, however much is left of it", async () => {
    const cost = ({ raw }: { raw: unknown }): number => raw as number;
    const policies: QuotaPolicy[] = [
      { name: "bytes", rate: "1000/min", cost },
      { name: "writes", rate: "10/min", cost: 6 },
    ];
    const limit = createServerLimit({ policies, fields: ["x-ratelimit"], runtime: new VirtualRuntime() });
    expect(field(await limit.admit({ ...request(), raw: 999 }), "x-ratelimit-limit")).toBe("1000");
    const refused = await limit.admit({ ...request(), raw: 1 });
    expect([field(refused, "x-ratelimit-limit"), field(refused, "x-ratelimit-remaining")]).toEqual(["10", "4"]);
  });

  test("leave out a window that is no whole number of seconds, and name partitions as bytes", async () => {
    const partition = (key: string): string => key.slice(0, 4);
    const policy: QuotaPolicy = { ...perClient, name: 'a "quoted" name', rate: "3/1500ms", partition };
    const { fields } = await limitOf(new VirtualRuntime(), policy).admit(request());
    expect(Object.fromEntries(fields)).toEqual({
      "RateLimit-Policy": '"a \\"quoted\\" name";q=3;pk=:MTAuMA==:',
      RateLimit: '"a \\"quoted\\" name";r=2;t=2;pk=:MTAuMA==:',
    });
  });

  test("can be left out, all but Retry-After", async () => {
    const limit = createServerLimit({
      policies: [{ ...perClient, rate: "1/10s" }],
      fields: [],
      runtime: new VirtualRuntime(),
    });
    expect((await limit.admit(request())).fields).toEqual([]);
    const refused = await limit.admit(request());
    expect(refused.fields.map(([name]) => name)).toEqual(["Content-Type", "Retry-After"]);
  });
});

test.each([
  [{ policies: [{ name: "q", rate: "0/s" }] }, 'rate is "0/s"; give a count and a time that are more than 0'],
  [{ policies: [{ name: "q" }] }, "rate is undefined; give a count and a time"],
  [{ policies: [{ name: "q", rate: "1/0s" }] }, 'rate is "1/0s"; give a count and a time that are more than 0'],
  [{ policies: [{ name: "q", rate: "1.5/s" }] }, 'rate is "1.5/s"; give a whole number of at least 1'],
  [{ policies: [{ name: "é", rate: "1/ms" }] }, "printable ASCII"],
  [{ policies: [{ name: "q", rate: "1/ms", keys: 3 }] }, "keys: there is no such option; did you mean key?"],
  [{ policies: [{ name: "q", rate: "1/ms", cost: 0.5 }] }, "cost is 0.5"],
  [{ policies: [{ name: "q", rate: "1/ms", key: "ip" }] }, 'key is "ip"; give a function'],
  [
    {
      policies: [
        { name: "q", rate: "1/ms" },
        { name: "q", rate: "1/ms" },
      ],
    },
    "give every policy a name of its own",
  ],
  [{ policies: [{ name: "t", throttle: {} }] }, "give what createThrottle made"],
  [{ policies: [{ name: "p", pacer: {} }] }, "give what createPacer made"],
  [{ policies: [3] }, "give objects with a name"],
  [{ fields: ["draft-6", "draft-7"] }, "they use the same headers"],
  [{ fields: ["draft-5"] }, "give an array of ratelimit"],
  [{ limit: 20 }, "limit is 20; give what createConcurrencyLimit made"],
  [{ acquireTimeout: -1 }, "acquireTimeout is -1"],
])("refuses %j and says why", (options, message) => {
  expect(() => createServerLimit(options as never)).toThrow(message);
});
