import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { createPacer, createThrottle, MemoryStore, type Throttle } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, test } from "vitest";
import { createServerLimit } from "../../src/server/index.ts";
import { field, request, said } from "./support/ask.ts";

async function fleet(runtime: VirtualRuntime, size: number, max: number): Promise<Throttle[]> {
  const store = new MemoryStore({ runtime });
  const throttles = Array.from({ length: size }, () =>
    createThrottle({ name: "g", max, interval: "5s", shares: "even", store, runtime }),
  );
  await Promise.all(throttles.map((throttle) => throttle.start()));
  await runtime.advance(20_500);
  return throttles;
}

describe("a throttle of the fleet", () => {
  test.each([
    ["a share of several tokens", 2, 12],
    ["more servers than tokens", 5, 2],
  ])("tells when to come again, and keeps it: %s", async (_, servers, max) => {
    const runtime = new VirtualRuntime();
    const throttles = await fleet(runtime, servers, max);
    for (const throttle of throttles) {
      const limit = createServerLimit({ policies: [{ name: "fleet", throttle }], runtime });
      let admission = await limit.admit(request());
      for (let i = 0; i < 100 && admission.allowed; i++) admission = await limit.admit(request());
      expect(admission).toMatchObject({ allowed: false, status: 429 });
      const seconds = Number(field(admission, "retry-after"));
      expect(seconds).toBeLessThanOrEqual(5 * Math.ceil(servers / max));
      await runtime.advance(seconds * 1_000);
      expect((await limit.admit(request())).allowed).toBe(true);
    }
    await Promise.all(throttles.map((throttle) => throttle.stop()));
  });

  test("keeps nothing of a request that takes more tokens than are left", async () => {
    const runtime = new VirtualRuntime();
    const [throttle] = (await fleet(runtime, 1, 5)) as [Throttle];
    const cost = ({ raw }: { raw: unknown }): number => raw as number;
    const limit = createServerLimit({ policies: [{ name: "fleet", throttle, cost }], runtime });
    const ask = async (tokens: number): Promise<string> => said(await limit.admit({ ...request(), raw: tokens }));
    expect([await ask(3), await ask(3), await ask(2), await ask(6)]).toEqual(["200", "429 5", "200", "429 never"]);
    await throttle.stop();
  });

  test("shows the fleet's limit, and what this server has left of it", async () => {
    const runtime = new VirtualRuntime();
    const [throttle] = (await fleet(runtime, 2, 12)) as [Throttle, Throttle];
    const limit = createServerLimit({ policies: [{ name: "fleet", throttle }], runtime });
    const { fields } = await limit.admit(request());
    expect(Object.fromEntries(fields)).toEqual({
      "RateLimit-Policy": '"fleet";q=12;w=5',
      RateLimit: '"fleet";r=5;t=5',
    });
  });

  test("gives no time when the store is lost: nobody knows it", async () => {
    const runtime = new VirtualRuntime();
    const memory = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 12, store: memory, runtime });
    await throttle.start();
    await runtime.advance(1_500);
    await memory.close();
    await runtime.advance(60_000);
    const limit = createServerLimit({ policies: [{ name: "fleet", throttle }], runtime });
    expect(said(await limit.admit(request()))).toBe("503 never");
    expect(limit.status()).toMatchObject({ allowed: 0, refused: 0, shed: 1 });
    await throttle.stop();
  });

  test("keeps a request waiting for as long as it may, and says how long that was", async () => {
    const runtime = new VirtualRuntime();
    const [throttle] = (await fleet(runtime, 1, 1)) as [Throttle];
    const limit = createServerLimit({ policies: [{ name: "fleet", throttle, acquireTimeout: "5s" }], runtime });
    await limit.admit(request());
    const waiting = limit.admit(request());
    await runtime.advance(4_500);
    const admission = await waiting;
    expect([said(admission), field(admission, "server-timing")]).toEqual(["200", "queue;dur=4500.0"]);
    await throttle.stop();
  });
});

describe("a pacer", () => {
  test("tells when the next instant is, and keeps it", async () => {
    const runtime = new VirtualRuntime();
    const pacer = createPacer({ name: "k", every: "3s", store: new MemoryStore({ runtime }), runtime });
    const limit = createServerLimit({ policies: [{ name: "spaced", pacer }], runtime });
    expect(said(await limit.admit(request()))).toBe("200");
    await runtime.advance(500);
    const refused = await limit.admit(request());
    expect([said(refused), !refused.allowed && JSON.parse(refused.body)["violated-policies"]]).toEqual([
      "429 3",
      ["spaced"],
    ]);
    await runtime.advance(3_000);
    expect(said(await limit.admit(request()))).toBe("200");
    await pacer.stop();
  });

  test("keeps a request waiting until its instant, and refuses one whose instant would come too late", async () => {
    const runtime = new VirtualRuntime();
    const pacer = createPacer({ name: "k", every: "3s", store: new MemoryStore({ runtime }), runtime });
    const limit = createServerLimit({ policies: [{ name: "spaced", pacer, acquireTimeout: "4s" }], runtime });
    await limit.admit(request());
    const [second, third] = [limit.admit(request()), limit.admit(request())];
    await runtime.advance(3_000);
    expect([said(await second), field(await second, "server-timing"), said(await third)]).toEqual([
      "200",
      "queue;dur=3000.0",
      "429 6",
    ]);
    await pacer.stop();
  });
});

describe("a limit of what is in work", () => {
  test("turns away with 503 what it cannot begin in time, and no quota counts it", async () => {
    const runtime = new VirtualRuntime();
    const limit = createServerLimit({
      limit: createConcurrencyLimit({ name: "workers", algorithm: fixed(1), runtime }),
      policies: [{ name: "q", rate: "2/min" }],
      acquireTimeout: "2s",
      runtime,
    });
    const first = await limit.admit(request());
    const waiting = limit.admit(request());
    await runtime.advance(1_999);
    expect(limit.status().waiting).toBe(1);
    await runtime.advance(1);
    const shed = await waiting;
    expect(shed).toMatchObject({ allowed: false, status: 503 });
    expect(!shed.allowed && JSON.parse(shed.body)).toEqual({
      type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
      title: "Request cannot be satisfied due to temporary server capacity constraints",
      status: 503,
      "violated-policies": ["workers"],
    });
    expect(["1", "2"]).toContain(field(shed, "retry-after"));
    expect(field(shed, "server-timing")).toBe("queue;dur=2000.0");
    expect(field(shed, "ratelimit")).toBe('"q";r=1;t=58');
    if (first.allowed) first.done(200);
    expect((await limit.admit(request())).allowed).toBe(true);
  });

  test("takes the most important first, and frees the place of a client that left", async () => {
    const runtime = new VirtualRuntime();
    const limit = createServerLimit({
      limit: createConcurrencyLimit({ algorithm: fixed(1), runtime }),
      priority: ({ header }) => Number(header("x-priority") ?? 0),
      runtime,
    });
    const first = await limit.admit(request());
    const left = new AbortController();
    const order: string[] = [];
    const enter = (name: string, priority: string, signal?: AbortSignal): Promise<void> =>
      limit.admit(request(name, { "x-priority": priority }), signal).then(
        (admission) => {
          order.push(name);
          if (admission.allowed) admission.done(200);
        },
        () => void order.push(`${name} left`),
      );
    const all = [enter("gone", "9", left.signal), enter("usual", "0"), enter("urgent", "5")];
    await runtime.advance(10);
    left.abort();
    await runtime.advance(10);
    if (first.allowed) first.done(200);
    await Promise.all(all);
    expect(order).toEqual(["gone left", "urgent", "usual"]);
    expect(limit.status()).toMatchObject({ allowed: 3, gone: 1, waiting: 0 });
  });

  test("takes back the slot of a request that a later policy refuses", async () => {
    const runtime = new VirtualRuntime();
    const slots = createConcurrencyLimit({ algorithm: fixed(5), runtime });
    const [throttle] = (await fleet(runtime, 1, 1)) as [Throttle];
    const limit = createServerLimit({ limit: slots, policies: [{ name: "fleet", throttle }], runtime });
    const first = await limit.admit(request());
    for (let i = 0; i < 20; i++) expect((await limit.admit(request())).allowed).toBe(false);
    expect(slots.inflight).toBe(1);
    if (first.allowed) first.done(200);
    expect(slots.inflight).toBe(0);
    await throttle.stop();
  });
});
