import { PassThrough, Readable } from "node:stream";
import { type ConcurrencyLimit, createConcurrencyLimit, fixed } from "@dt/adaptive";
import nodeFetch3 from "node-fetch";
// @ts-expect-error: it has no declarations, and node-fetch 3 has those that it would need.
import nodeFetch2 from "node-fetch2";
import { describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient } from "../../src/index.ts";
import { atEnd, serving } from "../support/serving.ts";

function one(): ConcurrencyLimit {
  const limit = createConcurrencyLimit({ algorithm: fixed(1) });
  atEnd(() => limit.stop());
  return limit;
}

const TEXT = "any body ".repeat(20_000);

async function readStream(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Buffer>) text += chunk;
  return text;
}

describe.each([
  ["node-fetch 2", nodeFetch2],
  ["node-fetch 3", nodeFetch3],
])("a client with %s", (_, foreign) => {
  const made = (limit: ConcurrencyLimit): HttpClient =>
    createHttpClient({ limit, fetch: foreign as unknown as typeof fetch });

  it.each([
    ["text", (response: Response) => response.text()],
    ["arrayBuffer", async (response: Response) => Buffer.from(await response.arrayBuffer()).toString()],
    ["blob", async (response: Response) => (await response.blob()).text()],
    ["its body", readStream],
    [
      "its body, piped",
      async (response: Response) => {
        let text = "";
        for await (const chunk of (response.body as unknown as Readable).pipe(new PassThrough())) text += chunk;
        return text;
      },
    ],
  ])("has all of a body read by %s, and its slot back", async (__, read) => {
    const url = await serving((___, response) => response.end(TEXT));
    const limit = one();
    const response = await made(limit).fetch(url);
    expect(limit.inflight).toBe(1);
    expect(await read(response)).toBe(TEXT);
    await expect.poll(() => limit.inflight).toBe(0);
  });

  it("makes a request again that was refused, lets go of the refusal, and hears of broken bodies", async () => {
    let requests = 0;
    const url = await serving((request, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(503, { "retry-after": "0" }).end(TEXT);
      else if (requests === 2) response.end("ok");
      else {
        response.write("begun");
        setImmediate(() => request.socket.destroy());
      }
    });
    const limit = one();
    const client = made(limit);
    expect(await (await client.fetch(url)).text()).toBe("ok");
    await expect(client.fetch(url).then((response) => response.text())).rejects.toThrow();
    await expect.poll(() => limit.inflight).toBe(0);
    expect(client.status()).toMatchObject([{ inflight: 0, unread: 0, sent: 3 }]);
  });

  it("without a body holds no slot, and is given up by its signal", async () => {
    const url = await serving((request, response) => void (request.url === "/204" && response.writeHead(204).end()));
    const limit = one();
    const client = made(limit);
    await (await client.fetch(`${url}/204`)).text();
    await expect.poll(() => limit.inflight).toBe(0);
    await expect(client.fetch(url, { signal: AbortSignal.timeout(30) })).rejects.toThrow();
    await expect.poll(() => limit.inflight).toBe(0);
  });
});

describe("a response", () => {
  class OldResponse {
    readonly status = 200;
    readonly headers = new Headers();
    readonly body = Readable.from([Buffer.from("hello")]);
    /** As node-fetch: what is no Node stream counts as an empty body. */
    async text(): Promise<string> {
      return this.body instanceof Readable ? readStream(this as unknown as Response) : "";
    }
  }

  const hello = async (): Promise<string> => "hello";

  it.each<[string, () => object]>([
    ["of an old class", () => new OldResponse()],
    ["that is frozen", () => Object.freeze(new OldResponse())],
    ["that is sealed", () => Object.seal(new Response("hello"))],
    ["with nothing but a status and a reader", () => ({ status: 200, text: hello })],
    ["without a status", () => ({ ok: true, headers: {}, text: hello })],
    [
      "with methods that cannot be replaced",
      () => Object.defineProperty(new Response("hello"), "text", { value: hello }),
    ],
    ["with headers of its own", () => ({ status: 200, headers: { get: () => null }, text: hello })],
  ])("%s works as it does without the client", async (_, make) => {
    const limit = one();
    const client = createHttpClient({ limit, fetch: (async () => make()) as unknown as typeof fetch });
    const response: Response = await client.fetch("http://127.0.0.1/");
    expect(await response.text()).toBe("hello");
    await expect.poll(() => limit.inflight).toBe(0);
  });

  it.each([undefined, null, "hello", 200])("that is %j is refused with what to do", async (given) => {
    const limit = one();
    const client = createHttpClient({ limit, fetch: (async () => given) as unknown as typeof fetch });
    await expect(client.fetch("http://127.0.0.1/")).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining("give one that resolves to a Response"),
    });
    expect(limit.inflight).toBe(0);
  });
});
