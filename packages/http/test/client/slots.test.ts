import { type ConcurrencyLimit, createConcurrencyLimit, fixed } from "@dt/adaptive";
import { createThrottle, MemoryStore } from "@dt/core";
import * as undici from "undici";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { atEnd, serving } from "../support/serving.ts";

/** A limit of one that ends with the test. */
function one(): ConcurrencyLimit {
  const limit = createConcurrencyLimit({ algorithm: fixed(1) });
  atEnd(() => limit.stop());
  return limit;
}

describe.each(Object.entries(senders))("a slot, with %s,", (_, through) => {
  it("is held until the body of the answer was read to its end", async () => {
    let finish: (() => void) | undefined;
    const url = await serving((__, response) => {
      response.write("begun, ");
      finish = () => response.end("ended");
    });
    const limit = one();
    const answer = await through(createHttpClient({ limit }))(url);
    const text = answer.text();
    expect(limit.status().inflight).toBe(1);
    finish?.();
    expect(await text).toBe("begun, ended");
    expect(limit.status().inflight).toBe(0);
  });

  it("is free at the head of a refusal, read or not", async () => {
    const url = await serving((__, response) => response.writeHead(500).write("well, "));
    const limit = one();
    const send = through(createHttpClient({ limit, retry: false }));
    expect((await send(url)).status).toBe(500);
    expect(limit.status().inflight).toBe(0);
  });

  it("is free when the connection is cut in the middle of the body, which is an error", async () => {
    const url = await serving((request, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("begun");
      setImmediate(() => request.socket.destroy());
    });
    const limit = one();
    const send = through(createHttpClient({ limit, retry: false }));
    await expect(send(url).then((answer) => answer.text())).rejects.toThrow();
    expect(limit.status().inflight).toBe(0);
  });

  it("is free when its caller gives the request up, before the answer or in its body", async () => {
    const url = await serving((request, response) => {
      if (request.url === "/body") response.write("begun");
    });
    const limit = one();
    const send = through(createHttpClient({ limit }));
    const reason = new Error("no longer wanted");
    const early = AbortSignal.timeout(50);
    await expect(send(url, { signal: early })).rejects.toMatchObject({ name: "TimeoutError" });
    const late = new AbortController();
    const answer = await send(`${url}/body`, { signal: late.signal });
    const text = answer.text();
    late.abort(reason);
    await expect(text).rejects.toBe(reason);
    expect(limit.status().inflight).toBe(0);
  });

  it("is not needed for a request that is given up in the moment in which it was to go out", async () => {
    let asked = 0;
    const url = await serving((_, response) => {
      asked += 1;
      response.end("ok");
    });
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    const client = createHttpClient();
    const answer = through(client)(url, { signal: controller.signal });
    // Nothing was awaited: the client has let it through, and not sent it.
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect([client.status().map(({ inflight }) => inflight), asked]).toEqual([[0], 0]);
  });

  it("does not take an interim answer for the answer", async () => {
    const url = await serving((__, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload", "retry-after": "30" });
      setTimeout(() => response.end("ok"), 20);
    });
    const limit = one();
    const answer = await through(createHttpClient({ limit }))(url);
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    expect(limit.status()).toMatchObject({ inflight: 0, calls: { granted: 1 } });
  });

  it("of an answer that nobody reads is free after bodyTimeout", async () => {
    const url = await serving((__, response) => response.write("x".repeat(1_000_000)));
    const limit = one();
    const send = through(createHttpClient({ limit, bodyTimeout: "50ms" }));
    await send(url);
    expect(limit.status().inflight).toBe(1);
    await expect.poll(() => limit.status().inflight).toBe(0);
  });
});

describe("a response of the client's fetch", () => {
  const text = "any body ".repeat(20_000);

  it.each([
    ["text", (response: Response) => response.text()],
    ["arrayBuffer", async (response: Response) => Buffer.from(await response.arrayBuffer()).toString()],
    ["blob", async (response: Response) => (await response.blob()).text()],
    [
      "its body",
      async (response: Response) => {
        let all = "";
        const decoder = new TextDecoder();
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) all += decoder.decode(chunk);
        return all;
      },
    ],
    [
      "its body, into a buffer of one's own",
      async (response: Response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader({ mode: "byob" });
        const chunks: Uint8Array[] = [];
        for (;;) {
          const { done, value } = await reader.read(new Uint8Array(50_000));
          if (done) return Buffer.concat(chunks).toString();
          chunks.push(value);
        }
      },
    ],
    ["a clone of it", (response: Response) => response.clone().text()],
    [
      "a response made of its body",
      (response: Response) => new Response(response.body, { headers: response.headers }).text(),
    ],
    [
      "text, after its body was looked at",
      (response: Response) => (response.body && !response.bodyUsed ? response.text() : ""),
    ],
  ])("read by %s is all there, and gives its slot back", async (_, read) => {
    const url = await serving((__, response) => response.end(text));
    const limit = one();
    const response = await createHttpClient({ limit }).fetch(`${url}/path`);
    expect(response).toBeInstanceOf(Response);
    expect(response.url).toBe(`${url}/path`);
    expect(limit.status().inflight).toBe(1);
    expect(await read(response)).toBe(text);
    expect(limit.status().inflight).toBe(0);
  });

  it("gives its slot back when its body is cancelled, or is not what was expected", async () => {
    const url = await serving((_, response) => response.end("no JSON"));
    const limit = one();
    const { fetch } = createHttpClient({ limit });
    await (await fetch(url)).body?.cancel();
    expect(limit.status().inflight).toBe(0);
    await expect((await fetch(url)).json()).rejects.toThrow(SyntaxError);
    expect(limit.status()).toMatchObject({ inflight: 0, calls: { granted: 2 } });
  });

  it("without a body holds no slot", async () => {
    const url = await serving((request, response) =>
      request.url === "/204" ? response.writeHead(204).end() : response.writeHead(200, { "content-length": "0" }).end(),
    );
    const limit = one();
    const { fetch } = createHttpClient({ limit });
    for (const path of ["/204", "/empty"]) await fetch(url + path);
    await fetch(url, { method: "HEAD" });
    expect(limit.status()).toMatchObject({ inflight: 0, calls: { granted: 3 } });
  });

  it("from no server at all passes by", async () => {
    const limit = one();
    const { fetch } = createHttpClient({ limit });
    expect(await (await fetch("data:text/plain,hello")).text()).toBe("hello");
    await expect(fetch("no address")).rejects.toThrow(TypeError);
    expect(limit.status()).toMatchObject({ calls: { granted: 0 } });
  });
});

describe("a fetch that is handed in", () => {
  it("may be undici's own, with a Request and a Response of its own", async () => {
    const url = await serving((request, response) => response.end(`${request.method} ${request.headers["x-a"]}`));
    const limit = one();
    const client = createHttpClient({ limit, fetch: undici.fetch as unknown as typeof fetch });
    const asked = new undici.Request(url, { method: "PUT", headers: { "x-a": "1" } });
    const response = await client.fetch(asked as unknown as Request);
    expect(limit.inflight).toBe(1);
    const copy = response.clone();
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk);
    expect([text, await copy.text()]).toEqual(["PUT 1", "PUT 1"]);
    expect(limit.inflight).toBe(0);
  });

  it("may be that of another client", async () => {
    const url = await serving((_, response) => response.end("ok"));
    const [inner, outer] = [one(), one()];
    const client = createHttpClient({ limit: outer, fetch: createHttpClient({ limit: inner }).fetch });
    const response = await client.fetch(url);
    expect([inner.inflight, outer.inflight]).toEqual([1, 1]);
    const reader = response.body?.getReader();
    while (!(await reader?.read())?.done);
    expect([inner.inflight, outer.inflight]).toEqual([0, 0]);
  });
});

describe("parts of a client", () => {
  it("may be one for each callee", async () => {
    const limits = new Map<string, ReturnType<typeof createConcurrencyLimit>>();
    const urls = await Promise.all([1, 2].map(() => serving((_, response) => response.end("ok"))));
    const client = createHttpClient({
      limit: (callee) => {
        const limit = createConcurrencyLimit({ algorithm: fixed(2) });
        limits.set(callee, limit);
        atEnd(() => limit.stop());
        return limit;
      },
    });
    for (const url of urls) await (await client.fetch(url)).text();
    expect([...limits.keys()]).toEqual(urls);
    for (const limit of limits.values()) expect(limit.status().calls.granted).toBe(1);
  });

  it("take a throttle's tokens, as many as a request costs", async () => {
    let calls = 0;
    const url = await serving((_, response) => response.end(String(++calls)));
    const store = new MemoryStore();
    const throttle = createThrottle({ name: "api", max: 10, interval: "1s", store });
    await throttle.start();
    atEnd(async () => {
      await throttle.stop();
      await store.close();
    });
    const granted: number[] = [];
    throttle.on("grant", ({ tokens }) => granted.push(tokens));
    const client = createHttpClient({ throttle, cost: ({ method }) => (method === "POST" ? 3 : 1) });
    await (await client.fetch(url)).text();
    await (await client.fetch(url, { method: "POST" })).text();
    expect(granted.reduce((sum, tokens) => sum + tokens, 0)).toBe(4);
  });
});
