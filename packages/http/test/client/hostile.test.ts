import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { Agent, request } from "undici";
import { Agent as Agent8, request as request8 } from "undici8";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient, type HttpClientOptions } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { atEnd, serving, speaking } from "../support/serving.ts";

const unhandled: unknown[] = [];
const hear = (error: unknown): void => void unhandled.push(error);

beforeEach(() => void process.on("unhandledRejection", hear));

afterEach(() => {
  process.off("unhandledRejection", hear);
  expect(unhandled.splice(0)).toEqual([]);
});

/** For servers that do answer: a busy machine takes its time. */
const PATIENT = { responseTimeout: "60s", bodyTimeout: "60s" } as const;

/** A client with one slot, which is free again at the end of the test. */
function strict(options: HttpClientOptions = {}): HttpClient {
  const limit = createConcurrencyLimit({ algorithm: fixed(1) });
  atEnd(async () => {
    await expect.poll(() => limit.inflight).toBe(0);
    await limit.stop();
  });
  return createHttpClient({
    limit,
    retry: false,
    responseTimeout: "300ms",
    bodyTimeout: "300ms",
    maxPause: "50ms",
    ...options,
  });
}

const head = (...lines: string[]): string => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;

describe.each(Object.entries(senders))("with %s, a server that", (_, through) => {
  it.each([
    ["says nothing", () => undefined],
    ["hangs up", (socket) => socket.destroy()],
    ["hangs up in the middle of the head", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")],
    ["hangs up in the middle of the body", (socket) => socket.end(`${head("content-length: 100")}begun`)],
    ["hangs up in the middle of a chunk", (socket) => socket.end(`${head("transfer-encoding: chunked")}ff\r\nbegun`)],
    ["speaks no HTTP", (socket) => socket.write("220 smtp.example.com ESMTP\r\n")],
    [
      "sends a megabyte of header fields",
      (socket) => socket.write(head(`ratelimit: "${"x".repeat(1_000_000)}";r=0;t=9`)),
    ],
    ["sends header fields for ever", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "x-more: and more\r\n")],
    [
      "falls silent in its body",
      (socket) => socket.write(`${head("transfer-encoding: chunked")}${"1\r\nx\r\n".repeat(3)}`),
    ],
    ["promises more body than it sends", (socket) => socket.write(`${head("content-length: 100")}begun`)],
    ["sends a body that is no chunk", (socket) => socket.write(`${head("transfer-encoding: chunked")}zz\r\n`)],
  ] satisfies [string, Parameters<typeof speaking>[0]][])("%s makes the request fail, in time", async (__, talk) => {
    const url = await speaking(talk as Parameters<typeof speaking>[0]);
    const send = through(strict());
    const error: unknown = await send(url)
      .then((answer) => answer.text())
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
  });

  it.each([
    ["1000000000000", 50],
    ["99999999999999999999999", 50],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 50],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 50],
    ["-1", 50],
    ["0", 0],
    ["never", 50],
    ["7, 8", 50],
    ["\u00ff\u00fe", 50],
    [" ".repeat(4_000), 50],
  ])("refuses with Retry-After %j is asked again within maxPause", async (field, longestMs) => {
    let calls = 0;
    const url = await serving((__, response) => {
      if (calls++ === 0) response.writeHead(429, { "retry-after": field }).end();
      else response.end("ok");
    });
    const client = strict(PATIENT);
    const send = through(client);
    const refused = await send(url);
    expect(refused.status).toBe(429);
    await refused.text();
    expect(client.status()[0]?.pausedForMs).toBeLessThanOrEqual(longestMs);
    expect(await (await send(url)).text()).toBe("ok");
  });

  it("sends RateLimit fields that make no sense is obeyed in what does", async () => {
    const url = await serving((__, response) => {
      response.writeHead(200, {
        ratelimit: '"a";r=0;t=1e9, b',
        "x-ratelimit-remaining": "many",
        "ratelimit-policy": "((",
      });
      response.end("ok");
    });
    const client = strict(PATIENT);
    expect(await (await through(client)(url)).text()).toBe("ok");
    expect(client.status()).toMatchObject([{ malformed: 3, pausedForMs: 0, inflight: 0 }]);
  });

  it("answers a hundred times with what it was not asked is one that fails once", async () => {
    const url = await speaking((socket) => socket.write(head("content-length: 2").concat("ok").repeat(100)));
    const send = through(strict());
    const ends = [];
    for (let n = 0; n < 5; n++)
      ends.push(
        await send(url)
          .then((answer) => answer.text())
          .catch((error: unknown) => error instanceof Error),
      );
    for (const end of ends) expect(["ok", true]).toContain(end);
  });

  it("throws at a classifier: the request fails with what the classifier threw, and nothing is lost", async () => {
    const url = await serving((__, response) => response.end("ok"));
    const broken = new Error("the classifier broke");
    const client = strict({
      classify: () => {
        throw broken;
      },
    });
    const error: unknown = await through(client)(url).catch((cause: unknown) => cause);
    expect([error, (error as Error).cause]).toContain(broken);
  });
});

describe("an undici client that takes large heads", () => {
  it("reads a field of a megabyte without looking at it", async () => {
    const agent = new Agent({ maxHeaderSize: 4_000_000 });
    atEnd(() => agent.destroy());
    const url = await speaking((socket) =>
      socket.write(`${head(`ratelimit: "${"x".repeat(1_000_000)}";r=0;t=9`, "content-length: 2")}ok`),
    );
    const client = strict(PATIENT);
    const { body } = await request(url, { dispatcher: agent.compose(client.interceptor) });
    expect(await body.text()).toBe("ok");
    expect(client.status()).toMatchObject([{ malformed: 1, pausedForMs: 0 }]);
  });
});

/** Ways to get a page over the one connection of an agent: one through each client, and a plain one. */
type OneConnection = (clients: readonly HttpClient[]) => readonly ((url: string) => Promise<string>)[];

const withUndici7: OneConnection = (clients) => {
  const agent = new Agent({ connections: 1 });
  atEnd(() => agent.destroy());
  return [...clients.map(({ interceptor }) => agent.compose(interceptor)), agent].map(
    (dispatcher) => async (url) => (await request(url, { dispatcher })).body.text(),
  );
};

const withUndici8: OneConnection = (clients) => {
  const agent = new Agent8({ connections: 1 });
  atEnd(() => agent.destroy());
  return [...clients.map(({ interceptor }) => agent.compose(interceptor)), agent].map(
    (dispatcher) => async (url) => (await request8(url, { dispatcher })).body.text(),
  );
};

describe.each([
  ["undici 7", withUndici7],
  ["undici 8", withUndici8],
])("a request that stands in a line of %s", (_, oneConnection) => {
  it("behind one that is not answered is over in time, and is not sent later", async () => {
    const paths: string[] = [];
    const url = await serving((asked, response) => {
      paths.push(asked.url ?? "");
      setTimeout(() => response.end("late"), 300);
    });
    const limit = createConcurrencyLimit({ algorithm: fixed(2) });
    atEnd(() => limit.stop());
    const patient = createHttpClient({ limit, retry: false });
    const hasty = createHttpClient({ limit, retry: false, responseTimeout: "50ms" });
    const [first, second, third] = oneConnection([patient, hasty]);
    const begun = first?.(`${url}/first`);
    await expect(second?.(`${url}/second`)).rejects.toMatchObject({ name: "TimeoutError" });
    expect(limit.inflight).toBe(1);
    expect(await begun).toBe("late");
    expect(await third?.(`${url}/third`)).toBe("late");
    expect(paths).toEqual(["/first", "/third"]);
  });
});

/** Writes a beginning, and then bit after bit until the other side has had enough. */
function drip(socket: Parameters<Parameters<typeof speaking>[0]>[0], begin: string, bit: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write(bit), 5);
  socket.on("close", () => clearInterval(timer));
}
