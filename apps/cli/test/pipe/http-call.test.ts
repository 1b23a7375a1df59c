import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { classify } from "@dt/adaptive";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpCaller } from "../../src/pipe/http-call.ts";
import { requestsOf } from "../../src/pipe/request.ts";

/** Calls a server once with a record; says how the call ended. */
async function call(
  listener: RequestListener,
  timeoutMs = 5_000,
  flags: { method?: string; header?: string[]; body?: string } = {},
) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = httpCaller(timeoutMs);
  onTestFinished(async () => {
    caller.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things/{{id}}`;
  const request = requestsOf({ url, method: "POST", header: [], body: undefined, ...flags }).of({ id: "a b", n: 1 });
  return await caller.call(request).then(
    ({ body }) => ({ value: body }),
    (error: unknown) => ({ error }),
  );
}

describe("a call", () => {
  test("sends the record itself as JSON where no body is given", async () => {
    const ended = await call(async (request, answer) => {
      const pieces = await request.toArray();
      const { method, url, headers } = request;
      answer.setHeader("content-type", "application/problem+json; charset=utf-8");
      answer.end(
        JSON.stringify({ method, url, type: headers["content-type"], body: Buffer.concat(pieces).toString() }),
      );
    });
    const body = '{"id":"a b","n":1}';
    expect(ended).toEqual({ value: { method: "POST", url: "/things/a%20b", type: "application/json", body } });
  });

  test("sends headers with fields of the record, and no body with GET", async () => {
    const ended = await call(
      (request, answer) => answer.end(`${request.headers["idempotency-key"]} ${request.headers["content-type"]}`),
      5_000,
      { method: "GET", header: ["Idempotency-Key: {{id}}/{{n}}"] },
    );
    expect(ended).toEqual({ value: "a b/1 undefined" });
  });

  test("that is answered 429 ends with the words of the Beam design, and the pause that is asked for", async () => {
    const ended = await call((_, answer) => answer.writeHead(429, { "retry-after": "7" }).end());
    expect(ended).toMatchObject({ error: { message: "Server returned HTTP response code: 429", status: 429 } });
    expect(classify(ended)).toMatchObject({ outcome: "overload", retryAfterMs: 7_000 });
  });

  test.each([301, 404, 500])("that is answered %i fails with that status", async (status) => {
    const ended = await call((_, answer) => answer.writeHead(status, { location: "/" }).end());
    expect(ended).toMatchObject({ error: { message: `Server returned HTTP response code: ${status}` } });
  });

  test.each([
    ["never answered", () => undefined],
    ["answered without an end", (_, answer) => answer.writeHead(200, { "content-length": 10 }).write("ab")],
  ] as [string, RequestListener][])(
    "that is %s ends after the timeout, as too much for the callee",
    async (_name, listener) => {
      const ended = await call(listener, 200);
      expect(ended).toMatchObject({ error: { name: "TimeoutError", message: "No answer within 200 ms" } });
      expect(classify(ended).outcome).toBe("overload");
    },
  );

  test("whose connection is cut in the middle of the answer fails", async () => {
    const ended = await call((request, answer) => {
      answer.writeHead(200, { "content-length": 10 }).write("ab", () => request.socket.destroy());
    });
    expect(ended).toMatchObject({ error: { code: "ECONNRESET" } });
  });

  test("does not keep an answer without bounds", async () => {
    const ended = await call((_, answer) => {
      const more = (): void => {
        while (answer.write("x".repeat(65_536)));
        answer.once("drain", more);
      };
      more();
    });
    expect(ended).toMatchObject({ error: { message: "The answer is longer than 1048576 bytes" } });
  });

  test("says that JSON is text when it is none", async () => {
    const ended = await call((_, answer) => answer.writeHead(200, { "content-type": "application/json" }).end("{no"));
    expect(ended).toEqual({ value: "{no" });
  });
});

describe("a request", () => {
  test.each([
    [{ url: "ftp://x/" }, "begins with http://"],
    [{ url: "http://{{host}}/" }, "and a host"],
    [{ url: "http://x{{host}}/" }, "and a host"],
    [{ url: "http://" }, "and a host"],
    [{ method: "post" }, "in capitals"],
    [{ header: ["no colon"] }, "a name, a colon and a value"],
    [{ header: ["a b: c"] }, "a name, a colon and a value"],
    [{ body: "{{}}" }, "give names and dots"],
  ])("of %j is refused", (flags, message) => {
    expect(() => requestsOf({ url: "http://x/", method: "POST", header: [], body: undefined, ...flags })).toThrow(
      message,
    );
  });

  test("cannot be turned to another host by a record", () => {
    const of = (host: string) =>
      requestsOf({ url: "http://api.test/{{path}}", method: "GET", header: [], body: undefined }).of({ path: host })
        .url;
    expect(of("@evil.test/").host).toBe("api.test");
    expect(of("/../..//evil.test").host).toBe("api.test");
  });
});
