import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { expect, test } from "vitest";
import { createServerLimit, type FetchHandler } from "../../src/server/index.ts";

/** A handler behind a limit of one slot, without a server around it. */
function behindOneSlot(handler: FetchHandler<[]>) {
  const slots = createConcurrencyLimit({ algorithm: fixed(1) });
  const limit = createServerLimit({ limit: slots, acquireTimeout: 0 });
  const handle = limit.fetch(handler);
  return { slots, limit, call: (init?: RequestInit) => handle(new Request("http://callee/", init)) };
}

test("a handler that throws gives its slot back, and its error goes to the server", async () => {
  const { slots, call } = behindOneSlot(() => {
    throw new Error("the handler fails");
  });
  await expect(call()).rejects.toThrow("the handler fails");
  expect(slots.inflight).toBe(0);
});

test("a body that is given up half-read gives the slot back, and tells the handler", async () => {
  let cancelled: unknown;
  const { slots, limit, call } = behindOneSlot(() => {
    const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(new Uint8Array(10));
    const cancel = (reason: unknown): void => {
      cancelled = reason;
    };
    return new Response(new ReadableStream({ pull, cancel }));
  });
  const response = await call();
  const reader = response.body?.getReader();
  await reader?.read();
  expect([slots.inflight, (await call()).status]).toEqual([1, 503]);
  await reader?.cancel("enough");
  expect([slots.inflight, cancelled, limit.status().gone]).toEqual([0, "enough", 1]);
});

test("a body that fails half-way gives the slot back, and fails for the reader", async () => {
  const { slots, call } = behindOneSlot(() => {
    let parts = 0;
    const pull = (controller: ReadableStreamDefaultController): void => {
      parts += 1;
      if (parts > 2) throw new Error("the disk is gone");
      controller.enqueue(new Uint8Array(10));
    };
    return new Response(new ReadableStream({ pull }));
  });
  await expect((await call()).arrayBuffer()).rejects.toThrow("the disk is gone");
  expect(slots.inflight).toBe(0);
});

test("a client that leaves before its body is read gives the slot back", async () => {
  const { slots, limit, call } = behindOneSlot(() => new Response("hello"));
  const leaving = new AbortController();
  await call({ signal: leaving.signal });
  expect(slots.inflight).toBe(1);
  leaving.abort();
  expect([slots.inflight, limit.status().gone]).toEqual([0, 1]);
});

test("keeps the handler's status, headers and timings, and adds its own", async () => {
  const { slots, call } = behindOneSlot(
    () => new Response(null, { status: 204, headers: { "X-Own": "1", "Server-Timing": "db;dur=5" } }),
  );
  const { status, headers } = await call({ method: "HEAD" });
  expect([status, headers.get("x-own")]).toEqual([204, "1"]);
  expect(headers.get("server-timing")).toMatch(/^db;dur=5, queue;dur=\d/);
  expect(slots.inflight).toBe(0);
});

test("a key of the address is refused where nobody says what that is, rather than counting all together", async () => {
  const key = ({ address }: { readonly address: string }): string => address;
  const limit = createServerLimit({ policies: [{ name: "q", rate: "1/min", key }] });
  const request = new Request("http://callee/");
  await expect(limit.fetch(() => new Response("hello"))(request)).rejects.toThrow(
    "give limit.fetch a function that finds it",
  );
  const handle = limit.fetch((_, from: string) => new Response(from), { address: (_, from) => from });
  const statuses = [];
  for (const from of ["10.0.0.1", "10.0.0.1", "10.0.0.2"]) statuses.push((await handle(request, from)).status);
  expect(statuses).toEqual([200, 429, 200]);
});
