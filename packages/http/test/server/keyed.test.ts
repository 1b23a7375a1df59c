import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { DtError, MemoryStore } from "@dt/core";
import { createKeyed, type KeyedOptions } from "@dt/keyed";
import { until } from "@dt-tooling/backends";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Admission,
  createServerLimit,
  type KeyedPolicy,
  type RequestFacts,
  type ServerLimit,
  type StoreStatus,
} from "../../src/server/index.ts";
import { field, request, said } from "./support/ask.ts";
import { losable } from "./support/lost-store.ts";
import { KINDS } from "./support/serve.ts";

const byAddress = ({ address }: RequestFacts): string => address;

function keyedOf(options: Partial<KeyedOptions> = {}) {
  const keyed = createKeyed({ name: "api", store: new MemoryStore(), limit: { rate: "2/min" }, ...options });
  onTestFinished(() => keyed.stop());
  return keyed;
}

/** Servers of one fleet, each with a keyed limit of its own over one store. */
function servers(options: Partial<KeyedOptions> = {}, policy: Partial<KeyedPolicy> = {}, count = 1): ServerLimit[] {
  const store = new MemoryStore();
  return Array.from({ length: count }, () =>
    createServerLimit({
      policies: [{ name: "tenant", keyed: keyedOf({ store, ...options }), key: byAddress, ...policy }],
    }),
  );
}

describe.each(Object.entries(KINDS))("%s", (_, serve) => {
  test("servers count together, and each reports what is left of all", async () => {
    const urls = await Promise.all(servers({}, {}, 2).map((limit) => serve(limit, () => "hello")));
    const answers = [];
    for (const url of [...urls, ...urls]) {
      const { status, headers } = await fetch(url);
      answers.push([status, headers.get("ratelimit"), headers.get("retry-after")]);
    }
    expect(answers).toEqual([
      [200, '"tenant";r=1;t=30', null],
      [200, '"tenant";r=0;t=30', null],
      [429, '"tenant";r=0;t=30', "30"],
      [429, '"tenant";r=0;t=30', "30"],
    ]);
    const refused = await fetch(urls[0] as string);
    expect(refused.headers.get("ratelimit-policy")).toBe('"tenant";q=2;w=60');
    expect(await refused.json()).toMatchObject({ status: 429, "violated-policies": ["tenant"] });
  });

  test("the slot of a tenant is held until the answer was sent", async () => {
    const keyed = keyedOf({ limit: { rate: "100/s", concurrent: 1 } });
    const limit = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress }] });
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const url = await serve(limit, async function* parts() {
      yield "begun ";
      await opened;
      yield "ended";
    });
    const first = await fetch(url);
    const reader = (first.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^begun/);
    const second = await fetch(url);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
    open();
    while (!(await reader.read()).done);
    await until("the slot is free", 60_000, () => keyed.status().inUse === 0);
    await expect.poll(async () => (await fetch(url)).text().then((text) => text)).toBe("begun ended");
  });

  test("a client that leaves in the middle of its answer frees the slot", async () => {
    const keyed = keyedOf({ limit: { rate: "100/s", concurrent: 1 } });
    const limit = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress }] });
    const url = await serve(limit, async function* parts() {
      for (;;) {
        yield "part ";
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const leaving = new AbortController();
    const { body } = await fetch(url, { signal: leaving.signal });
    await body?.getReader().read();
    expect(keyed.status().inUse).toBe(1);
    leaving.abort();
    await until("the slot is free", 60_000, () => keyed.status().inUse === 0);
  });
});

test("the answer of a handler that Hono has changed keeps its status, its headers and its cookies", async () => {
  const [limit] = servers() as [ServerLimit];
  const app = new Hono();
  app.use(limit.hono({ address: () => "10.0.0.1" }));
  app.get("/", (context) => {
    context.header("Set-Cookie", "a=1", { append: true });
    context.header("Set-Cookie", "b=2", { append: true });
    context.header("X-Own", "yes");
    return context.text("made", 201);
  });
  const answer = await app.request("/");
  expect([answer.status, answer.headers.get("x-own"), await answer.text()]).toEqual([201, "yes", "made"]);
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(answer.headers.get("ratelimit")).toBe('"tenant";r=1;t=30');
});

test("a key that asks Hono for an address that nobody has is an error, not one key for all", async () => {
  const [limit] = servers() as [ServerLimit];
  const app = new Hono();
  let told: unknown;
  app.onError((error, context) => {
    told = error;
    return context.text("failed", 500);
  });
  app.use(limit.hono());
  app.get("/", (context) => context.text("hello"));
  expect((await app.request("/")).status).toBe(500);
  expect(String(told)).toContain("limit.hono");
});

test("each key counts for itself, a request without one is not counted, and costs are", async () => {
  const key = ({ header }: RequestFacts) => header("x-tenant");
  const [limit] = servers({}, { key, cost: ({ header }) => Number(header("x-cost") ?? 1) }) as [ServerLimit];
  const ask = async (headers: Record<string, string>) => said(await limit.admit(request("", headers)));
  expect(await ask({ "x-tenant": "a", "x-cost": "2" })).toBe("200");
  expect(await ask({ "x-tenant": "a" })).toBe("429 30");
  expect(await ask({ "x-tenant": "b" })).toBe("200");
  // More than the burst will never pass.
  expect(await ask({ "x-tenant": "c", "x-cost": "3" })).toBe("429 never");
  for (let n = 0; n < 3; n++) expect(await ask({})).toBe("200");
});

test("a burst is the quota, and its window the time in which it comes back", async () => {
  const [limit] = servers({ limit: { rate: "5/s", burst: 10 } }) as [ServerLimit];
  const answer = await limit.admit(request());
  expect(field(answer, "ratelimit-policy")).toBe('"tenant";q=10;w=2');
  expect(field(answer, "ratelimit")).toBe('"tenant";r=9;t=1');
});

test("keys that clients choose are never an error", async () => {
  const [limit] = servers({}, { key: ({ header }) => header("x-tenant") ?? "" }) as [ServerLimit];
  for (const tenant of ["", "x".repeat(20_000), "a\0b", "\ud800"]) {
    const ask = async () => said(await limit.admit(request("", { "x-tenant": tenant })));
    expect([await ask(), await ask(), await ask()]).toEqual(["200", "200", "429 30"]);
  }
});

test("who has used up a limit takes no place in the queue of the server", async () => {
  const inner = createConcurrencyLimit({ algorithm: fixed(1) });
  const limit = createServerLimit({
    policies: [{ name: "tenant", keyed: keyedOf({ limit: { rate: "1/min" } }), key: byAddress }],
    limit: inner,
    acquireTimeout: "20s",
  });
  const first = await limit.admit(request("a"));
  expect(said(first)).toBe("200");
  expect(said(await limit.admit(request("a")))).toBe("429 60");
  if (first.allowed) first.done(200);
  expect(said(await limit.admit(request("b")))).toBe("200");
});

test("a request that is refused by a quota takes nothing of a keyed limit", async () => {
  const keyed = keyedOf({ limit: { rate: "5/min" } });
  const limit = createServerLimit({
    policies: [
      { name: "tenant", keyed, key: byAddress },
      { name: "quota", rate: "2/min", key: byAddress },
    ],
  });
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push(said(await limit.admit(request())));
  expect(answers).toEqual(["200", "200", "429 60", "429 60"]);
  expect((await keyed.peek("10.0.0.1")).remaining).toBe(3);
});

test("a request that a keyed limit refuses counts in no quota, and its slots go back; units of keyed limits do not", async () => {
  const keyed = keyedOf({ limit: { rate: "5/min", concurrent: 5 } });
  const second = keyedOf({ name: "second", limit: { rate: "1/min" } });
  const limit = createServerLimit({
    policies: [
      { name: "tenant", keyed, key: byAddress },
      { name: "second", keyed: second, key: byAddress },
      { name: "quota", rate: "2/min", key: byAddress },
    ],
  });
  const answers = [];
  // A refusal that is remembered reports the same time.
  for (let n = 0; n < 3; n++) answers.push(await limit.admit(request()));
  expect(answers.map(said)).toEqual(["200", "429 60", "429 60"]);
  expect(field(answers[2] as Admission, "ratelimit")).toContain('"quota";r=1');
  expect(keyed.status().inUse).toBe(1);
  expect((await keyed.peek("10.0.0.1")).remaining).toBe(2);
});

describe("while the store is away", () => {
  /** A limit whose store can be taken away, and what it said. */
  function watched(policy: Partial<KeyedPolicy>, options: Partial<KeyedOptions> = {}) {
    const lost = losable();
    const keyed = keyedOf({ store: lost.store, limit: { rate: "1000/s" }, ...options });
    const limit = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress, ...policy }] });
    const events: unknown[] = [];
    limit.on("storeLost", ({ policy: name, whenStoreLost }) => events.push(["lost", name, whenStoreLost]));
    limit.on("storeBack", ({ policy: name, requests }) => events.push(["back", name, requests]));
    let asked = 0;
    return { lost, limit, events, ask: async () => limit.admit(request(`10.0.0.${++asked}`)) };
  }

  const outcome = async (ask: ReturnType<typeof watched>["ask"]) => said(await ask()).slice(0, 3);

  test.each([
    ["allow", {}, "200"],
    ["deny", { whenStoreLost: "deny" }, "503"],
  ] as const)("%s: it says so once, counts, and goes on when it is back", async (told, policy, during) => {
    const { lost, limit, events, ask } = watched(policy);
    expect(await outcome(ask)).toBe("200");
    lost.isLost = true;
    for (let n = 0; n < 3; n++) expect(await outcome(ask)).toBe(during);
    expect(events).toEqual([["lost", "tenant", told]]);
    const counts = told === "allow" ? [3, 0] : [0, 3];
    const { allowedUncounted, deniedUncounted, ...rest } = limit.status().keyed["tenant"] as StoreStatus;
    expect([allowedUncounted, deniedUncounted]).toEqual(counts);
    expect(rest).toMatchObject({ storeLost: true, outages: 1, lastError: { code: "DT_STORE_UNAVAILABLE" } });
    lost.isLost = false;
    let asked = 3;
    await expect
      .poll(async () => {
        await ask();
        asked += 1;
        return events.length;
      })
      .toBe(2);
    expect(events[1]).toEqual(["back", "tenant", asked - 1]);
    expect(limit.status().keyed["tenant"]).toMatchObject({ storeLost: false, outages: 1 });
    expect(await outcome(ask)).toBe("200");
  });

  test("a 503 says when to come again, and names the policy", async () => {
    const { lost, ask } = watched({ whenStoreLost: "deny" });
    lost.isLost = true;
    const answer = await ask();
    expect(Number(field(answer, "retry-after"))).toBeGreaterThanOrEqual(1);
    expect(answer).toMatchObject({ allowed: false, status: 503 });
    expect(answer.allowed ? "" : JSON.parse(answer.body)).toMatchObject({ "violated-policies": ["tenant"] });
  });

  test("what the keyed limit itself decides comes first", async () => {
    const { lost, events, ask } = watched({ whenStoreLost: "allow" }, { whenStoreLost: "deny" });
    lost.isLost = true;
    expect(await outcome(ask)).toBe("503");
    expect(events).toEqual([["lost", "tenant", "deny"]]);
  });

  test("a store that never answers keeps nobody waiting longer than its deadline", async () => {
    const keyed = keyedOf({ store: { take: () => new Promise(() => undefined) }, storeTimeout: 20 });
    const limit = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress }] });
    expect(said(await limit.admit(request()))).toBe("200");
    expect(limit.status().keyed["tenant"]).toMatchObject({ lastError: { code: "DT_STORE_TIMEOUT" } });
  });

  test("the damaged row of one key is no outage", async () => {
    const { limit, events } = watched({});
    const keyed = keyedOf({
      store: {
        take: async (requests) => {
          return requests.map(() => new DtError("DT_STORE_DATA", "the row is damaged"));
        },
      },
    });
    const other = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress, whenStoreLost: "deny" }] });
    other.on("storeLost", (event) => events.push(event));
    expect(said(await other.admit(request())).slice(0, 3)).toBe("503");
    expect(events).toEqual([]);
    expect(other.status().keyed["tenant"]).toMatchObject({ storeLost: false, deniedUncounted: 1 });
    expect(limit.status().keyed["tenant"]).toMatchObject({ outages: 0 });
  });
});

test("a keyed limit that was stopped turns requests away, and is no outage", async () => {
  const keyed = keyedOf();
  const limit = createServerLimit({ policies: [{ name: "tenant", keyed, key: byAddress }] });
  await keyed.stop();
  expect(said(await limit.admit(request()))).toBe("503 never");
  expect(limit.status().keyed["tenant"]).toMatchObject({ outages: 0 });
});

test("options are checked", () => {
  const make = (policy: object) => () => createServerLimit({ policies: [{ name: "q", ...policy } as KeyedPolicy] });
  expect(make({ keyed: {}, key: byAddress })).toThrow("createKeyed");
  expect(make({ keyed: keyedOf() })).toThrow("key");
  expect(make({ keyed: keyedOf(), key: byAddress, whenStoreLost: "throw" })).toThrow("allow");
  const limit = createServerLimit({});
  expect(() => limit.on("lost" as never, () => undefined)).toThrow("storeLost");
});
