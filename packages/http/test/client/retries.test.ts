import { createRetryBudget } from "@dt/adaptive";
import { systemRuntime } from "@dt/core";
import { describe, expect, it } from "vitest";
import { createHttpClient, type HttpClientOptions } from "../../src/index.ts";
import { type Sent, senders } from "../support/senders.ts";
import { serving } from "../support/serving.ts";

const RETRY = { baseDelay: "1ms", maxDelay: "10ms" } as const;

/** A server that refuses a path's first requests, and then answers with what it was sent. */
async function refusing(times: number, status = 503, refusal = "no"): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const url = await serving(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    if (bodies.length <= times) response.writeHead(status).end(refusal);
    else response.end(`you sent ${body}`);
  });
  return { url, bodies };
}

describe.each(Object.entries(senders))("with %s", (through, sender) => {
  const client = (options: HttpClientOptions = {}): ReturnType<typeof sender> =>
    sender(createHttpClient({ retry: RETRY, refusalPause: 0, ...options }));

  it("a request that may be made twice is made until it succeeds", async () => {
    const { url, bodies } = await refusing(2);
    const answer = await client()(url);
    expect([answer.status, await answer.text(), bodies.length]).toEqual([200, "you sent ", 3]);
  });

  it("the last refusal is the answer, with its body", async () => {
    const { url, bodies } = await refusing(9, 503, "no, ".repeat(50_000));
    const answer = await client({ retry: { ...RETRY, retries: 2 } })(url);
    expect([answer.status, await answer.text(), bodies.length]).toEqual([503, "no, ".repeat(50_000), 3]);
  });

  it.each<[boolean, Sent, HttpClientOptions?]>([
    [true, { method: "PUT" }],
    [true, { method: "DELETE" }],
    [false, { method: "POST" }],
    [false, { method: "PATCH" }],
    [true, { method: "POST", headers: { "Idempotency-Key": "7" } }],
    [true, { method: "POST" }, { retryUnsafe: true }],
    [false, { method: "GET" }, { retry: false }],
  ])("is a retry made (%s) of %j with %j", async (made, sent, options) => {
    // Undici's own fetch hands its dispatcher every body as a stream, which is gone once it was sent.
    const streamed = through === "fetch of undici 7";
    const { url, bodies } = await refusing(1);
    const answer = await client(options)(
      url,
      streamed ? sent : { ...sent, ...(sent.method !== "GET" && { body: "this" }) },
    );
    expect(answer.status).toBe(made ? 200 : 503);
    await answer.text();
    const body = streamed || sent.method === "GET" ? "" : "this";
    expect(bodies).toEqual(made ? [body, body] : [body]);
  });

  it("a refusal that says something of the request, not of the callee, is final", async () => {
    const { url, bodies } = await refusing(1, 404);
    expect((await client()(url)).status).toBe(404);
    expect(bodies).toHaveLength(1);
  });

  it("a connection that breaks before the answer is tried again", async () => {
    let calls = 0;
    const url = await serving((request, response) => {
      if (++calls < 3) request.socket.destroy();
      else response.end("ok");
    });
    expect(await (await client()(url)).text()).toBe("ok");
  });

  it("an answer that does not come in time is tried again", async () => {
    let calls = 0;
    const url = await serving((_, response) => {
      if (++calls > 1) response.end("ok");
    });
    expect(await (await client({ responseTimeout: "1s" })(url)).text()).toBe("ok");
  });

  it("retries wait for as long as the callee asks for", async () => {
    const at: number[] = [];
    const url = await serving((_, response) => {
      at.push(performance.now());
      if (at.length === 1) response.writeHead(503, { "retry-after": "1" });
      response.end();
    });
    await client({ retry: { maxDelay: "2s" } })(url);
    expect((at[1] as number) - (at[0] as number)).toBeGreaterThan(990);
  });

  it("the budget of a callee is one for all its requests", async () => {
    const { url, bodies } = await refusing(Number.POSITIVE_INFINITY);
    const send = client({ retry: { ...RETRY, tokens: { max: 10 } } });
    await Promise.all(Array.from({ length: 100 }, async () => (await send(url)).text()));
    expect(bodies.length).toBeGreaterThan(100);
    expect(bodies.length).toBeLessThan(110);
  });

  it("a request that is given up while it waits to be made again is over", async () => {
    const { url, bodies } = await refusing(9);
    const controller = new AbortController();
    // The time until the next attempt is random, and may be next to nothing.
    const runtime = { ...systemRuntime, random: () => 0.5 };
    const send = client({ retry: { baseDelay: "60s", maxDelay: "60s" }, runtime });
    const given = send(url, { signal: controller.signal });
    await expect.poll(() => bodies.length).toBe(1);
    controller.abort();
    await expect(given).rejects.toMatchObject({ name: "AbortError" });
    expect(bodies).toHaveLength(1);
  });

  it("a budget of one's own decides", async () => {
    const budget = createRetryBudget({ ...RETRY, retries: 1 });
    const { url, bodies } = await refusing(9);
    expect((await client({ retry: budget })(url)).status).toBe(503);
    expect((await client({ retry: () => undefined })(url)).status).toBe(503);
    expect(bodies).toHaveLength(3);
  });
});

describe("the client's fetch", () => {
  it.each([
    ["URLSearchParams", () => new URLSearchParams({ a: "1" }), true],
    ["Uint8Array", () => new TextEncoder().encode("a=1"), true],
    ["Blob", () => new Blob(["a=1"]), true],
    ["ReadableStream", () => new Blob(["a=1"]).stream(), false],
  ])("sends a %s again where it can (%#)", async (_, body, made) => {
    const { url, bodies } = await refusing(1);
    const { fetch } = createHttpClient({ retry: RETRY, refusalPause: 0 });
    const response = await fetch(url, { method: "PUT", body: body(), duplex: "half" } as RequestInit);
    expect([response.status, bodies]).toEqual(made ? [200, ["a=1", "a=1"]] : [503, ["a=1"]]);
  });

  it("takes a Request, and tries it again where it has no body", async () => {
    const { url, bodies } = await refusing(1);
    const { fetch } = createHttpClient({ retry: RETRY, refusalPause: 0 });
    expect((await fetch(new Request(url))).status).toBe(200);
    bodies.length = 0;
    expect((await fetch(new Request(url, { method: "PUT", body: "this" }))).status).toBe(503);
    expect(bodies).toEqual(["this"]);
  });

  it("obeys the signal of a Request, and a null beside it that takes it away", async () => {
    const { url } = await refusing(0);
    const { fetch } = createHttpClient();
    const request = new Request(url, { signal: AbortSignal.abort() });
    await expect(fetch(request)).rejects.toMatchObject({ name: "AbortError" });
    expect((await fetch(request, { signal: null })).status).toBe(200);
  });
});
