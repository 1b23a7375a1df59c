import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import * as zlib from "node:zlib";
import { classify } from "@dt/adaptive";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpCaller } from "../../src/pipe/http-call.ts";
import { requestsOf } from "../../src/pipe/request.ts";

/** Calls a server once with a record; says how the call ended. */
async function call(
  listener: RequestListener,
  timeoutMs = 5_000,
  flags: { method?: string; header?: string[]; body?: string } = {},
  signal = new AbortController().signal,
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
  return await caller.call(request, signal).then(
    ({ body }) => ({ value: body }),
    (error: unknown) => ({ error }),
  );
}

describe("a call", () => {
  test("ends with the reason of its signal, aborted before or after it was sent", async () => {
    const reason = new Error("the slot is lost");
    const controller = new AbortController();
    const ended = await call(() => controller.abort(reason), 5_000, {}, controller.signal);
    expect(ended).toEqual({ error: reason });
    expect(await call(() => undefined, 5_000, {}, controller.signal)).toEqual({ error: reason });
  });

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

  const plain = { method: "GET", header: [] as string[], body: undefined };
  const urlOf = (url: string, record: unknown) => requestsOf({ ...plain, url }).of(record).url.href;

  test.each([
    ["", "empty"],
    [".", "would be another one"],
    ["..", "would be another one"],
    ["%2e%2E", "would be another one"],
    [".%2e", "would be another one"],
    ["%252e%252e", "would be another one"],
    ["..;", "would be another one"],
    ["..;a=b", "would be another one"],
    ["%2e%2e%3Ba", "would be another one"],
    ["a/b", "slash"],
    ["//", "slash"],
    ["/../..//evil.test", "slash"],
    ["@evil.test/", "slash"],
    ["..%2fadmin", "slash"],
    ["..%25252fadmin", "slash"],
    ["a\\b", "slash"],
    ["..%5cadmin", "slash"],
    ["a\0", "control"],
    ["a\r\nHost: evil.test", "control"],
    ["a%00", "control"],
    ["\ud800", "surrogate"],
    [{ a: "b/c" }, "slash"],
  ])("is not made of a record whose field in the path is %j", (id, why) => {
    for (const url of [
      "http://api.test/users/{{id}}",
      "http://api.test/users/{{id}}/keys?x=1#y",
      "http://api.test/{{id}}",
    ])
      expect(() => urlOf(url, { id })).toThrow(why);
  });

  test("is not made where fields and text together change the path", () => {
    expect(() => urlOf("http://api.test/a/{{x}}{{y}}/b", { x: ".", y: "." })).toThrow("would be another one");
    expect(() => urlOf("http://api.test/a/.{{x}}", { x: "." })).toThrow("would be another one");
    expect(() => urlOf("http://api.test/a/%2e{{x}}", { x: "" })).toThrow("would be another one");
    expect(() => urlOf("http://api.test\\a\\{{x}}", { x: ".." })).toThrow("begins with http");
    expect(() => urlOf("http://api.test/a\\{{x}}", { x: ".." })).toThrow("would be another one");
    expect(urlOf("http://api.test/a/v{{x}}/b", { x: ".." })).toBe("http://api.test/a/v../b");
  });

  test.each([
    ["?", "http://api.test/users/%3F?q=%3F"],
    ["#", "http://api.test/users/%23?q=%23"],
    ["a b&c=d", "http://api.test/users/a%20b%26c%3Dd?q=a%20b%26c%3Dd"],
    ["@x:y;z,ü€", "http://api.test/users/%40x%3Ay%3Bz%2C%C3%BC%E2%82%AC?q=%40x%3Ay%3Bz%2C%C3%BC%E2%82%AC"],
    ["...", "http://api.test/users/...?q=..."],
  ])("holds %j escaped, in its one segment and its one parameter", (id, url) => {
    expect(urlOf("http://api.test/users/{{id}}?q={{id}}", { id })).toBe(url);
  });

  test("may hold anything in a parameter's value, and no empty name of one", () => {
    const url = "http://api.test/?q={{q}}&r=1";
    expect(urlOf(url, { q: "../a//b\n" })).toBe("http://api.test/?q=..%2Fa%2F%2Fb%0A&r=1");
    expect(urlOf(url, { q: "" })).toBe("http://api.test/?q=&r=1");
    expect(() => urlOf("http://api.test/?{{q}}&r=1", { q: "" })).toThrow("no name");
  });

  test.each(["a\r\nX-Admin: 1", "a\nb", "a\0", "", "  ", "\ud800", "€"])(
    "has no header of a field that is %j",
    (id) => {
      const { of } = requestsOf({ ...plain, url: "http://x/", header: ["Idempotency-Key: {{id}}"] });
      expect(() => of({ id })).toThrow("--header Idempotency-Key");
    },
  );

  test.each(["Host", "content-length", "Transfer-Encoding", "connection"])("does not take %s from a record", (name) => {
    const asked = { ...plain, url: "http://x/", header: [`${name}: {{id}}`] };
    expect(() => requestsOf(asked)).toThrow("records do not decide");
  });

  test("that is a form has fields that add no others", () => {
    const header = ["Content-Type: application/x-www-form-urlencoded"];
    const { of } = requestsOf({ url: "http://x/", method: "POST", header, body: "id={{id}}&n={{n}}" });
    expect(of({ id: "5&admin=1", n: 2 }).body).toBe("id=5%26admin%3D1&n=2");
  });
});

describe("an answer", () => {
  const text = '{"ok":"ü"}';
  const zstd = (zlib as { readonly zstdCompressSync?: typeof zlib.gzipSync }).zstdCompressSync;
  test.each<[string, Buffer]>([
    ["gzip", zlib.gzipSync(text)],
    ["x-gzip", zlib.gzipSync(text)],
    ["br", zlib.brotliCompressSync(text)],
    ["deflate", zlib.deflateSync(text)],
    ["deflate", zlib.deflateRawSync(text)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(text))],
    ["identity", Buffer.from(text)],
    ...(zstd ? [["zstd", zstd(text)] as [string, Buffer]] : []),
  ])("in %s is decoded", async (encoding, bytes) => {
    const headers = { "content-encoding": encoding, "content-type": "application/json" };
    expect(await call((_, answer) => answer.writeHead(200, headers).end(bytes))).toEqual({ value: { ok: "ü" } });
  });

  test.each([
    ["that is no text", { "content-type": "image/png" }, Buffer.of(0x89, 0x50, 0xff, 0)],
    ["that says it is text", { "content-type": "text/plain" }, Buffer.of(0x61, 0xfc)],
    ["in a coding that nobody knows", { "content-encoding": "rot13" }, Buffer.from("nop")],
    ["that is not in its coding", { "content-encoding": "gzip" }, Buffer.from("plain")],
    ["that was cut off in its coding", { "content-encoding": "gzip" }, zlib.gzipSync(text).subarray(0, 15)],
  ])("%s is base64, with what its headers say of it", async (_name, headers, bytes) => {
    const ended = await call((_, answer) => answer.writeHead(200, headers).end(bytes));
    expect(ended).toEqual({ value: { base64: bytes.toString("base64"), ...headers } });
  });

  test("in another charset is text, a byte order mark is none of it, and an empty one is empty", async () => {
    const latin1 = { "content-type": 'text/plain; charset="iso-8859-1"' };
    expect(await call((_, answer) => answer.writeHead(200, latin1).end(Buffer.of(0xfc)))).toEqual({ value: "ü" });
    const json = { "content-type": "application/json" };
    expect(await call((_, answer) => answer.writeHead(200, json).end("\ufeff[1]"))).toEqual({ value: [1] });
    const empty = { "content-encoding": "gzip" };
    expect(await call((_, answer) => answer.writeHead(200, empty).end())).toEqual({ value: "" });
  });

  test("that is long only once it is decompressed is too long", async () => {
    const bytes = zlib.gzipSync("x".repeat(2 ** 21));
    const ended = await call((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(bytes));
    expect(ended).toMatchObject({ error: { message: "The answer is longer than 1048576 bytes" } });
  });

  test("of 429 is a refusal however long it is, and when its body is cut off", async () => {
    const long = await call((_, answer) => answer.writeHead(429).end("x".repeat(2 ** 21)));
    expect(long).toMatchObject({ error: { status: 429 } });
    const cut = await call((request, answer) => {
      answer.writeHead(429, { "content-length": 10 }).write("ab", () => request.socket.destroy());
    });
    expect(cut).toMatchObject({ error: { status: 429 } });
  });

  test("that is nested too deeply to be written again is text", async () => {
    const nested = "[".repeat(100_000) + "]".repeat(100_000);
    const ended = await call((_, answer) => answer.writeHead(200, { "content-type": "application/json" }).end(nested));
    expect(ended).toEqual({ value: nested });
  });
});
