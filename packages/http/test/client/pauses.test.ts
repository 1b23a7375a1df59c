import { performance } from "node:perf_hooks";
import { isDtError } from "@dt/core";
import { describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { serving } from "../support/serving.ts";

describe.each(Object.entries(senders))("a client with %s", (_, through) => {
  it("sends nothing to a callee, whoever asks, until the instant that it named", async () => {
    const arrivals: number[] = [];
    const url = await serving((request, response) => {
      arrivals.push(performance.now());
      if (request.url === "/no") response.writeHead(429, { "retry-after": "1" }).end();
      else response.end("ok");
    });
    const client = createHttpClient({ retry: false });
    const send = through(client);
    await (await send(url)).text();
    const refused = await send(`${url}/no`);
    const toldAt = performance.now();
    await refused.text();
    expect(refused.status).toBe(429);
    const answers = await Promise.all(Array.from({ length: 20 }, async (__, n) => (await send(`${url}/${n}`)).text()));
    expect(answers).toEqual(Array.from({ length: 20 }, () => "ok"));
    expect(arrivals).toHaveLength(22);
    // The signal arrived some moments before its answer was awaited.
    for (const at of arrivals.slice(2)) expect(at - toldAt).toBeGreaterThan(950);
  });

  it("goes on sending to others meanwhile", async () => {
    const refusing = await serving((__, response) => response.writeHead(429, { "retry-after": "30" }).end());
    const other = await serving((__, response) => response.end("ok"));
    const client = createHttpClient({ retry: false });
    const send = through(client);
    await (await send(refusing)).text();
    expect(await (await send(other)).text()).toBe("ok");
    expect(client.status().map(({ pausedForMs }) => pausedForMs > 0)).toEqual([true, false]);
  });

  it("pauses after an answer that says that nothing is left, and sends on while something is", async () => {
    let left = 2;
    const url = await serving((__, response) => response.setHeader("ratelimit", `"p";r=${left--};t=20`).end("ok"));
    const client = createHttpClient();
    const send = through(client);
    for (let n = 0; n < 3; n++) expect(await (await send(url)).text()).toBe("ok");
    const [{ pausedForMs = 0, left: known } = {}] = client.status();
    expect(pausedForMs).toBeGreaterThan(15_000);
    expect(known).toEqual([{ policy: "p", remaining: 0, resetMs: 20_000 }]);
  });

  it("believes no pause longer than maxPause", async () => {
    let calls = 0;
    const url = await serving((__, response) => {
      if (calls++ === 0) response.writeHead(503, { "retry-after": "1000000000000" }).end();
      else response.end("ok");
    });
    const client = createHttpClient({ maxPause: "50ms", retry: false });
    const heard: unknown[] = [];
    client.on("paused", (event) => heard.push(event));
    const send = through(client);
    expect((await send(url)).status).toBe(503);
    expect((await send(url)).status).toBe(200);
    expect(heard).toEqual([{ callee: url, by: "retry-after", askedMs: 366 * 86_400_000, forMs: 50, status: 503 }]);
  });

  it("refuses at once what would have to wait for longer than acquireTimeout, and says when to try again", async () => {
    const url = await serving((__, response) => response.writeHead(429, { "retry-after": "30" }).end());
    const client = createHttpClient({ acquireTimeout: "1s", retry: false });
    const send = through(client);
    await (await send(url)).text();
    const error = await send(url).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    const refusal = isDtError(error) ? error : (error as { cause?: unknown }).cause;
    expect(isDtError(refusal, "DT_TIMEOUT")).toBe(true);
    expect(refusal).toMatchObject({ retryAfterMs: expect.closeTo(30_000, -3) });
  });

  it("lets a request be given up while it waits", async () => {
    let calls = 0;
    const url = await serving((__, response) => {
      calls += 1;
      response.writeHead(429, { "retry-after": "30" }).end();
    });
    const send = through(createHttpClient({ retry: false }));
    await (await send(url)).text();
    const controller = new AbortController();
    const given = send(url, { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(given).rejects.toMatchObject({ name: "AbortError" });
    expect(calls).toBe(1);
  });

  it("that was stopped sends nothing more", async () => {
    const url = await serving((__, response) => response.end("ok"));
    const client = createHttpClient();
    const send = through(client);
    await (await send(url)).text();
    await client.stop();
    const error: unknown = await send(url).catch((cause: unknown) => cause);
    expect(isDtError(error, "DT_STOPPED") || isDtError((error as Error).cause, "DT_STOPPED")).toBe(true);
  });
});

describe("a client", () => {
  it("pauses by whatever name the callee has", async () => {
    const url = await serving((request, response) => {
      if (request.headers["x-customer"] === "a") response.writeHead(429, { "retry-after": "30" }).end();
      else response.end("ok");
    });
    const client = createHttpClient({
      callee: ({ origin, header }) => `${origin} ${header("x-customer")}`,
      retry: false,
    });
    await client.fetch(url, { headers: { "x-customer": "a" } });
    expect((await client.fetch(url, { headers: { "X-Customer": "b" } })).status).toBe(200);
    expect(client.status().map(({ callee, pausedForMs }) => [callee.at(-1), pausedForMs > 0])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("can be told to pause", async () => {
    const url = await serving((_, response) => response.end("ok"));
    const client = createHttpClient({ acquireTimeout: "1s" });
    client.pause(url, "30s");
    await expect(client.fetch(url)).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  });

  it("ignores a field that makes no sense, counts it, and says so", async () => {
    const url = await serving((_, response) =>
      response.writeHead(429, { "retry-after": "later", ratelimit: "?" }).end(),
    );
    const client = createHttpClient({ retry: false, refusalPause: 0 });
    const heard: string[] = [];
    client.on("malformed", ({ field }) => heard.push(field));
    expect((await client.fetch(url)).status).toBe(429);
    expect(heard).toEqual(["ratelimit", "retry-after"]);
    expect(client.status()).toMatchObject([{ malformed: 2, pausedForMs: 0 }]);
  });

  it("lets more than ten thousand requests wait, and as many as maxWaiters says", async () => {
    const url = await serving((_, response) => response.end("ok"));
    const controller = new AbortController();
    const waiting = (client: HttpClient, count: number) =>
      Array.from({ length: count }, () => client.fetch(url, { signal: controller.signal }).catch(({ code }) => code));
    const [usual, narrow] = [createHttpClient(), createHttpClient({ maxWaiters: 2 })];
    for (const client of [usual, narrow]) client.pause(url, "30s");
    const many = waiting(usual, 15_000);
    const few = waiting(narrow, 3);
    expect(await few[2]).toBe("DT_QUEUE_FULL");
    await expect.poll(() => usual.status()[0]?.waiting).toBe(15_000);
    for (const client of [usual, narrow]) await client.stop();
    expect(new Set(await Promise.all(many))).toEqual(new Set(["DT_STOPPED"]));
    await Promise.all(few);
  });

  it("remembers so many callees, and forgets those first that are idle", async () => {
    const url = await serving((request, response) => {
      if (request.url === "/0") response.writeHead(429, { "retry-after": "30" });
      response.end();
    });
    const client = createHttpClient({ callee: ({ path }) => path, maxCallees: 3, retry: false });
    for (let n = 0; n < 10; n++) await (await client.fetch(`${url}/${n}`)).text();
    expect(client.status().map(({ callee }) => callee)).toEqual(["/0", "/8", "/9"]);
  });
});
