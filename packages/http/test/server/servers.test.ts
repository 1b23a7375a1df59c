import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { until } from "@dt-tooling/backends";
import { describe, expect, onTestFinished, test } from "vitest";
import { createServerLimit, type ServerLimit } from "../../src/server/index.ts";
import { KINDS } from "./support/serve.ts";

/** A limit with so many slots, and how many are taken. */
function slots(count: number, acquireTimeout = "20s" as const): { limit: ServerLimit; inflight(): number } {
  const inner = createConcurrencyLimit({ algorithm: fixed(count) });
  return { limit: createServerLimit({ limit: inner, acquireTimeout }), inflight: () => inner.inflight };
}

/** Something that a test ends when it wants to. */
function gate(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function* endless(): AsyncGenerator<string> {
  for (;;) {
    yield "part ";
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(Object.entries(KINDS))("%s", (_, serve) => {
  test("an answer says what is left, and a refusal what happened and when to come again", async () => {
    let calls = 0;
    const limit = createServerLimit({ policies: [{ name: "all", rate: "1/min" }] });
    const url = await serve(limit, () => `hello ${++calls}`);
    const [first, second] = [await fetch(url), await fetch(url)];
    expect([first.status, await first.text()]).toEqual([200, "hello 1"]);
    expect(first.headers.get("ratelimit")).toBe('"all";r=0;t=60');
    expect([second.status, calls]).toEqual([429, 1]);
    expect(second.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(second.headers.get("ratelimit-policy")).toBe('"all";q=1;w=60');
    expect(second.headers.get("retry-after")).toBe("60");
    expect(await second.json()).toMatchObject({ status: 429, "violated-policies": ["all"] });
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([429, ""]);
  });

  test("keys, costs and priorities see the request: who asks, for what, and with which headers", async () => {
    const seen: unknown[] = [];
    const limit = createServerLimit({
      policies: [
        {
          name: "q",
          rate: "1/min",
          key: ({ address, method, url, header }) => {
            seen.push({ address, method, path: url.replace(/^http:..[^/]*/, ""), user: header("x-user") });
            return address;
          },
        },
      ],
    });
    const url = await serve(limit, () => "hello");
    const options = { method: "POST", headers: { "X-User": "me" } };
    const statuses = [(await fetch(`${url}?a=1`, options)).status, (await fetch(url, options)).status];
    expect(statuses).toEqual([200, 429]);
    expect(seen[0]).toEqual({ address: "127.0.0.1", method: "POST", path: "/?a=1", user: "me" });
  });

  test("a slot is held until the answer was sent, over one connection as well", async () => {
    const { limit, inflight } = slots(1);
    const url = await serve(limit, () => `${inflight()} in work`);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const sockets = new Set<unknown>();
    for (const method of ["GET", "POST", "GET", "GET"]) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(url, { method, agent }, resolve).on("error", reject).end();
      });
      sockets.add(response.socket);
      response.resume();
      const [status, timing] = [response.statusCode, response.headers["server-timing"]];
      expect([status, timing]).toEqual([200, expect.stringMatching(/^queue;dur=\d/)]);
      await new Promise((resolve) => response.on("end", resolve));
    }
    expect(sockets.size).toBe(1);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    await until("the slot is free", 5_000, () => inflight() === 0);
    expect(limit.status()).toMatchObject({ allowed: 5, gone: 0, waiting: 0 });
  });

  test("a slot is free again when the handler fails", async () => {
    const { limit, inflight } = slots(1);
    const url = await serve(limit, () => Promise.reject(new Error("the handler fails")));
    for (let i = 0; i < 3; i++) {
      const response = await fetch(url);
      await response.text();
      expect(response.status).toBe(500);
    }
    await until("the slot is free", 5_000, () => inflight() === 0);
  });

  test("a client that leaves in the middle of its answer frees the slot for the one that waits", async () => {
    const { limit, inflight } = slots(1);
    const begun = gate();
    let calls = 0;
    const url = await serve(limit, () => {
      begun.open();
      calls += 1;
      return calls === 1 ? endless() : "hello";
    });
    const leaving = new AbortController();
    const reading = fetch(url, { signal: leaving.signal }).then(async (response) => {
      for await (const _ of response.body ?? []) if (limit.status().waiting === 1) leaving.abort();
    });
    await begun.opened;
    const waiting = fetch(url);
    await expect(reading).rejects.toThrow("aborted");
    expect(await (await waiting).text()).toBe("hello");
    await until("the slot is free", 5_000, () => inflight() === 0);
    expect(limit.status()).toMatchObject({ allowed: 2, gone: 1 });
  });

  test("clients that leave while they wait leave no place taken, and the handler never hears of them", async () => {
    const { limit } = slots(1);
    const [working, begun] = [gate(), gate()];
    let calls = 0;
    const url = await serve(limit, async () => {
      calls += 1;
      begun.open();
      await working.opened;
      return "hello";
    });
    const first = fetch(url);
    await begun.opened;
    const leaving = new AbortController();
    const leavers = Array.from({ length: 5 }, () => fetch(url, { signal: leaving.signal }).catch(() => "left"));
    await until("five wait", 5_000, () => limit.status().waiting === 5);
    leaving.abort();
    expect(new Set(await Promise.all(leavers))).toEqual(new Set(["left"]));
    await until("nobody waits", 5_000, () => limit.status().waiting === 0);
    working.open();
    expect([(await first).status, calls]).toEqual([200, 1]);
    expect(limit.status()).toMatchObject({ allowed: 1, gone: 5 });
  });

  test("an upload that is broken off while it waits leaves no place taken", async () => {
    const { limit } = slots(1);
    const [working, begun] = [gate(), gate()];
    const url = await serve(limit, async () => {
      begun.open();
      await working.opened;
      return "hello";
    });
    const first = fetch(url);
    await begun.opened;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\nonly so much",
    );
    await until("it waits", 5_000, () => limit.status().waiting === 1);
    socket.destroy();
    await until("nobody waits", 5_000, () => limit.status().waiting === 0);
    working.open();
    expect((await first).status).toBe(200);
    expect(limit.status().gone).toBe(1);
  });
});

test("requests that wait behind another one on the same connection leave with it", async () => {
  const { limit, inflight } = slots(1);
  const url = await KINDS.node(limit, () => endless());
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await until("two wait", 5_000, () => limit.status().waiting === 2);
  socket.destroy();
  await until("nobody waits", 5_000, () => limit.status().waiting === 0 && inflight() === 0);
  expect(limit.status()).toMatchObject({ allowed: 1, gone: 3 });
});

test("clients that come by a Unix socket have no address, and are counted together", async () => {
  const key = ({ address }: { readonly address: string }): string => address;
  const limit = createServerLimit({ policies: [{ name: "q", rate: "1/min", key }] });
  const folder = mkdtempSync(join(tmpdir(), "dt-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, "http");
  const server = createServer(limit.node((_, response) => response.end("hello"))).listen(socketPath);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    const call = httpRequest({ socketPath, agent: false }).end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    statuses.push(response.resume().statusCode);
  }
  expect(statuses).toEqual([200, 429]);
});

describe.each(Object.entries(KINDS).filter(([kind]) => kind !== "node"))("%s", (_, serve) => {
  test("a key that cannot be made is an error of the framework, not a request that hangs", async () => {
    const key = (): string => {
      throw new Error("no key");
    };
    const limit = createServerLimit({ policies: [{ name: "q", rate: "1/s", key }] });
    const url = await serve(limit, () => "hello");
    expect((await fetch(url)).status).toBe(500);
  });
});
