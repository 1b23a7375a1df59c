import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@dt/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { ask, askAsPage, Page, type TestConsole, testConsole } from "./support/page.ts";

let path: string;
let reading: TestConsole;
let writing: TestConsole;

beforeAll(async () => {
  path = join(scratchFolder(afterAll), "limits.db");
  await using store = sqliteStore({ path });
  await store.inspect("none");
  reading = await testConsole(`sqlite:${path}`);
  writing = await testConsole(`sqlite:${path}`, { writes: true });
});

afterAll(async () => {
  await reading?.[Symbol.asyncDispose]();
  await writing?.[Symbol.asyncDispose]();
});

const host = () => `127.0.0.1:${reading.port}`;
const bearer = () => ({ Authorization: `Bearer ${reading.token}` });
const paths = () => ["/", "/page.js", "/api/limiter?kind=throttle&name=a", `/api/events?token=${reading.token}`];

describe("only a page of the console itself", () => {
  test.each([
    ["another name, as after DNS rebinding", () => "attacker.test"],
    ["another name with our port", () => `attacker.test:${reading.port}`],
    ["no port", () => "127.0.0.1"],
    ["another port", () => "127.0.0.1:1"],
    ["an address of any interface", () => `0.0.0.0:${reading.port}`],
    ["IPv6", () => `[::1]:${reading.port}`],
    ["our name before another one", () => `127.0.0.1:${reading.port}.attacker.test`],
    ["our name as a user", () => `127.0.0.1:${reading.port}@attacker.test`],
  ])("is served by its Host, not %s", async (_, name) => {
    for (const each of paths()) {
      const { status, headers } = await ask(reading, each, { headers: { ...bearer(), Host: name() } });
      expect({ each, status }).toEqual({ each, status: 421 });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("is served by the names of the loopback interface", async () => {
    for (const name of ["127.0.0.1", "localhost"])
      expect((await ask(reading, "/", { headers: { Host: `${name}:${reading.port}` } })).status).toBe(200);
  });

  test("without a host nothing is served", async () => {
    expect(await rawRequest("GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 421 /);
    expect(await rawRequest("GET / HTTP/1.1\r\nHost:\r\n\r\n")).toMatch(/^HTTP\/1\.1 4(00|21) /);
  });

  test("two hosts are none", async () => {
    const answer = await rawRequest(`GET / HTTP/1.1\r\nHost: ${host()}\r\nHost: attacker.test\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|21) /);
  });

  test("an address in place of a path is refused", async () => {
    const answer = await rawRequest(`GET http://attacker.test/ HTTP/1.1\r\nHost: ${host()}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each([
    ["another site", "https://attacker.test"],
    ["another port of this host", "http://127.0.0.1:3000"],
    ["TLS", `https://127.0.0.1`],
    ["an opaque origin, such as a sandboxed frame", "null"],
  ])("is of our origin, not of %s, with a good token too", async (_, origin) => {
    for (const each of paths())
      expect((await ask(reading, each, { headers: { ...bearer(), Origin: origin } })).status).toBe(403);
    const order = { kind: "throttle", name: "a", limit: "5/s" };
    const headers = { Authorization: `Bearer ${writing.token}`, "Content-Type": "application/json", Origin: origin };
    const { status } = await ask(writing, "/api/limit", { method: "POST", headers, body: JSON.stringify(order) });
    expect(status).toBe(403);
  });

  test("our own origin is served, by the name that the request has", async () => {
    const { port } = reading;
    const named = { ...bearer(), Host: `localhost:${port}`, Origin: `http://localhost:${port}` };
    expect((await ask(reading, "/api/limiter", { headers: named })).status).toBe(404);
    const mixed = { ...named, Host: `127.0.0.1:${port}` };
    expect((await ask(reading, "/api/limiter", { headers: mixed })).status).toBe(403);
  });

  test.each(["cross-site", "same-site"])("a browser's %s request is refused", async (site) => {
    for (const each of paths())
      expect((await ask(reading, each, { headers: { ...bearer(), "Sec-Fetch-Site": site } })).status).toBe(403);
  });

  test.each(["none", "same-origin"])("a browser's %s request is served", async (site) => {
    expect((await ask(reading, "/", { headers: { "Sec-Fetch-Site": site } })).status).toBe(200);
  });

  test("nothing answers a preflight, and no response allows another origin", async () => {
    const headers = { Origin: "https://attacker.test", "Access-Control-Request-Method": "POST" };
    const preflight = await ask(reading, "/api/limit", { method: "OPTIONS", headers });
    const own = await ask(reading, "/api/limit", { method: "OPTIONS" });
    expect([preflight.status, own.status]).toEqual([403, 405]);
    for (const answer of [preflight, own])
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("it listens on the loopback interface alone", async () => {
    const others = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const reachable = others.filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of reachable) expect(await connects(address, reading.port)).toBe(false);
    expect(await connects("::1", reading.port)).toBe(false);
    expect(await connects("127.0.0.1", reading.port)).toBe(true);
  });
});

describe("the token", () => {
  test("is of 32 random bytes, and new at each start", async () => {
    expect(Buffer.from(reading.token, "base64url")).toHaveLength(32);
    expect(writing.token).not.toBe(reading.token);
  });

  test.each([
    ["none", {}],
    ["a wrong one", { Authorization: "Bearer wrong" }],
    ["another scheme", { Authorization: "Basic wrong" }],
    ["the beginning of the right one", () => ({ Authorization: `Bearer ${reading.token.slice(0, -1)}` })],
    ["more than the right one", () => ({ Authorization: `Bearer ${reading.token}x` })],
  ])("every request of the API needs it: %s", async (_, given) => {
    const headers = typeof given === "function" ? given() : given;
    const asked = [
      ask(reading, "/api/events", { headers }),
      ask(reading, "/api/limiter?kind=throttle&name=a", { headers }),
      ask(reading, "/api/nothing", { headers }),
      ask(reading, "/api/limit/preview", { method: "POST", headers }),
      ask(writing, "/api/limit", { method: "POST", headers }),
    ];
    for (const { status, body } of await Promise.all(asked)) {
      expect(status).toBe(401);
      expect(JSON.parse(body).error).toMatch(/open the address that dt console has printed/);
      expect(body).not.toContain(reading.token);
    }
  });

  test("counts in the query of the page and of the events alone: elsewhere it would come into logs", async () => {
    const { status } = await ask(reading, `/api/limiter?kind=throttle&name=a&token=${reading.token}`);
    expect(status).toBe(401);
  });

  test("a link of a console that has ended says so", async () => {
    const old = await testConsole(`sqlite:${path}`);
    await old[Symbol.asyncDispose]();
    await using again = await testConsole(`sqlite:${path}`, { port: old.port });
    const { status, body, headers } = await ask(again, `/?token=${old.token}`);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 401, type: "text/html; charset=utf-8" });
    expect(body).toContain("This link is of a console that has ended");
    expect((await ask(again, `/api/events?token=${old.token}`)).status).toBe(401);
  });

  test("the page without one is the page: it has kept its token, or says what to do", async () => {
    const { status, body } = await ask(reading, "/");
    expect({ status, body }).toEqual({ status: 200, body: "<!doctype html><title>stand-in</title>" });
    expect((await ask(reading, `/?token=${reading.token}`)).body).toBe(body);
  });
});

test("every response has the headers that keep a page on its own", async () => {
  const all = [
    ask(reading, "/"),
    ask(reading, "/page.js"),
    ask(reading, "/?token=wrong"),
    ask(reading, "/", { headers: { Host: "attacker.test" } }),
    ask(reading, "/nothing", { headers: bearer() }),
  ];
  for (const { headers } of await Promise.all(all)) {
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
  }
});

test.each([
  "/../package.json",
  "/..%2f..%2fpackage.json",
  "/%2e%2e/package.json",
  "/page.js/../../package.json",
  "//etc/passwd",
  "/secret.txt",
  "/__proto__",
  "/constructor",
  "/index.html",
])("no other file is served: %s", async (path) => {
  expect((await ask(reading, path, { headers: bearer() })).status).toBe(404);
});

describe("a body", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    ask(writing, "/api/limit", {
      method: "POST",
      headers: { Authorization: `Bearer ${writing.token}`, "Content-Type": "application/json", ...headers },
      body,
    });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "application/jsonx",
  ])("as a form of another site sends it is refused: %j", async (type) => {
    expect((await post('{"kind":"throttle","name":"a","limit":"5/s"}', { "Content-Type": type })).status).toBe(415);
  });

  test("has at most 64 kB, also where its length is not told", async () => {
    const large = JSON.stringify({ kind: "throttle", name: "a", limit: "5/s", reason: "x".repeat(65_536) });
    expect((await post(large)).status).toBe(413);
    expect((await post(large, { "Transfer-Encoding": "chunked" })).status).toBe(413);
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /no JSON object/],
    ["a list", "[]", /no JSON object/],
    ["null", "null", /no JSON object/],
    ["another field", '{"kind":"throttle","name":"a","limit":"5/s","by":"root"}', /another field/],
    ["__proto__", '{"__proto__":{"kind":"throttle"},"name":"a","limit":"5/s"}', /another field/],
    ["no kind", '{"name":"a","limit":"5/s"}', /kind is no kind/],
    ["a kind of all objects", '{"kind":"constructor","name":"a","limit":"5/s"}', /kind is no kind/],
    ["no name", '{"kind":"throttle","limit":"5/s"}', /name is missing/],
    ["a name that is no text", '{"kind":"throttle","name":1,"limit":"5/s"}', /name is no text/],
    ["no limit", '{"kind":"throttle","name":"a"}', /limit is no text/],
    ["a limit that is no rate", '{"kind":"throttle","name":"a","limit":"fast"}', /limit is/],
    ["a key of a throttle", '{"kind":"throttle","name":"a","key":"k","limit":"5/s"}', /key is for keyed/],
    ["a burst of a throttle", '{"kind":"throttle","name":"a","limit":"5/s","burst":2}', /burst is for/],
    ["a time that is none", '{"kind":"throttle","name":"a","limit":"5/s","for":"long"}', /for is no time/],
    ["half a character", '{"kind":"throttle","name":"\\ud800","limit":"5/s"}', /name is no text/],
    ["a removal for a time", '{"kind":"throttle","name":"a","limit":null,"for":"1h"}', /removed for good/],
  ])("is checked: %s", async (_, body, message) => {
    for (const path of ["/api/limit", "/api/limit/preview"]) {
      const answer = await ask(writing, path, {
        method: "POST",
        headers: { Authorization: `Bearer ${writing.token}`, "Content-Type": "application/json" },
        body,
      });
      expect({ path, status: answer.status }).toEqual({ path, status: 400 });
      expect(JSON.parse(answer.body).error).toMatch(message);
    }
  });

  test("changes nothing without --write", async () => {
    const order = { kind: "throttle", name: "a", limit: "5/s" };
    const { status, json } = await askAsPage(reading, "/api/limit", order);
    expect({ status, json }).toEqual({ status: 403, json: { error: expect.stringContaining("--write") } });
    await using store = sqliteStore({ path });
    expect(await store.readLimit?.({ kind: "group", name: "a" })).toBeUndefined();
  });
});

test("a method that changes nothing of what it asks is refused", async () => {
  for (const method of ["PUT", "DELETE", "PATCH", "HEAD"])
    expect((await ask(reading, "/", { method, headers: bearer() })).status).toBe(405);
  expect((await ask(reading, "/page.js", { method: "POST", headers: bearer() })).status).toBe(405);
  expect((await ask(reading, "/api/limit", { headers: bearer() })).status).toBe(405);
});

test("large headers are refused", async () => {
  const { status } = await ask(reading, "/", { headers: { "X-Large": "x".repeat(20_000) } });
  expect(status).toBe(431);
});

test("so many pages are served, and one more when one has gone", async () => {
  const pages: Page[] = [];
  try {
    for (let i = 0; i < 32; i++) pages.push(await Page.open(reading));
    const { status, body } = await ask(reading, `/api/events?token=${reading.token}`);
    expect({ status, body }).toEqual({ status: 503, body: expect.stringContaining("too many pages") });
    pages.pop()?.[Symbol.dispose]();
    pages.push((await pages[0]?.until("there is a place", () => Page.open(reading).catch(() => undefined))) as Page);
  } finally {
    for (const page of pages) page[Symbol.dispose]();
  }
});

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** What is answered to these bytes. */
function rawRequest(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: reading.port });
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      socket.end();
    });
    socket.once("close", () => resolve(text)).once("error", reject);
    socket.write(bytes);
  });
}
