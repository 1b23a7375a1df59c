import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axios from "axios";
import axiosRetry from "axios-retry";
import got from "got";
import ky from "ky";
import { Agent, interceptors, RetryAgent, request } from "undici";
import { describe, expect, test } from "vitest";
import { createServerLimit, type FieldForm } from "../../src/server/index.ts";

/** What the server saw: the status it answered, when it was asked, and the wait that it asked for, in milliseconds. */
interface Seen {
  readonly status: number;
  readonly atMs: number;
  readonly waitMs: number;
}

/**
 * A server with one request in two seconds, longer than any of the clients waits by itself. `hidden` is a header that
 * it leaves out.
 */
async function serve(form: FieldForm, hidden?: string): Promise<AsyncDisposable & { url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const limit = createServerLimit({ policies: [{ name: "slow", rate: "1/2s" }], fields: [form] });
  const listener = limit.node((_, response) => response.end("hello"));
  const server = createServer((incoming, response) => {
    const atMs = performance.now();
    let waitMs = 0;
    const set = response.setHeader.bind(response);
    response.setHeader = (name, value) => {
      if (name === "Retry-After") waitMs = 1_000 * Number(value);
      return name === hidden ? response : set(name, value);
    };
    response.once("finish", () => seen.push({ status: response.statusCode, atMs, waitMs }));
    listener(incoming, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const CLIENTS = {
  got: (url) => got(url).text(),
  ky: (url) => ky(url).text(),
  "axios with axios-retry": async (url) => {
    const client = axios.create();
    axiosRetry(client);
    return (await client.get(url)).data;
  },
  "undici's RetryAgent": async (url) => {
    const agent = new Agent();
    const answer = await request(url, { dispatcher: new RetryAgent(agent) });
    return answer.body.text().finally(() => agent.close());
  },
  "undici's retry interceptor": async (url) => {
    const agent = new Agent();
    const answer = await request(url, { dispatcher: agent.compose(interceptors.retry()) });
    return answer.body.text().finally(() => agent.close());
  },
} satisfies Record<string, (url: string) => Promise<string>>;

/** The client was refused once, came back when it was told to and not before, and was let through. */
async function expectWait(
  { url, seen }: { readonly url: string; readonly seen: readonly Seen[] },
  call: (url: string) => Promise<string>,
): Promise<void> {
  // The window may end between the two calls on a machine that stands still: then the client was not refused.
  for (let i = 0; i < 5 && seen.at(-2)?.status !== 429; i++) {
    await (await fetch(url)).text();
    expect(await call(url)).toBe("hello");
  }
  const [refused, served] = seen.slice(-2) as [Seen, Seen];
  expect([refused.status, served.status]).toEqual([429, 200]);
  // Less than the window where the machine stood still before the client was refused.
  expect(refused.waitMs).toBeGreaterThan(0);
  // Timers of Node may be a millisecond early.
  expect(served.atMs - refused.atMs).toBeGreaterThan(refused.waitMs - 10);
}

describe.concurrent("a client that is not ours", () => {
  test.for(Object.entries(CLIENTS))(
    "%s waits for as long as Retry-After says, and is let through",
    async ([, call]) => {
      await using server = await serve("ratelimit");
      await expectWait(server, call);
    },
  );

  test.for(["draft-6", "x-ratelimit"] as const)(
    "ky waits for the reset of %s, where there is no Retry-After",
    async (form) => {
      await using server = await serve(form, "Retry-After");
      await expectWait(server, CLIENTS.ky);
    },
  );
});
