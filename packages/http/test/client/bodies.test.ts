import { type ConcurrencyLimit, createConcurrencyLimit, fixed } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { Agent, request } from "undici";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { atEnd, serving } from "../support/serving.ts";

function limitOf(most: number): ConcurrencyLimit {
  const limit = createConcurrencyLimit({ algorithm: fixed(most) });
  atEnd(() => limit.stop());
  return limit;
}

/** A server whose bodies come in pieces, when the test says so. */
async function piecewise() {
  const open: ((piece: string | undefined) => void)[] = [];
  const url = await serving((_, response) => {
    response.flushHeaders();
    open.push((piece) => (piece === undefined ? response.end() : response.write(piece)));
  });
  return { url, send: (piece?: string) => open.at(-1)?.(piece) };
}

describe("a client's fetch", () => {
  it("waits for a head and for the pieces of a body for as long as the fetch within does", async () => {
    const runtime = new VirtualRuntime();
    const { url, send } = await piecewise();
    let answered = (): void => undefined;
    const slow: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      await new Promise<void>((resolve) => {
        answered = resolve;
      });
      return response;
    };
    const client = createHttpClient({ runtime, fetch: slow, limit: limitOf(1) });
    const text = client.fetch(url).then((response) => response.text());
    await expect.poll(() => send("a long ")).toBe(true);
    await runtime.advance(3_600_000);
    answered();
    await runtime.advance(3_600_000);
    send("answer");
    await runtime.advance(3_600_000);
    send();
    expect(await text).toBe("a long answer");
  });

  it("keeps a body that nobody reads, without its slot, for whoever reads it late", async () => {
    const runtime = new VirtualRuntime();
    const url = await serving((_, response) => response.end("still here"));
    const limit = limitOf(1);
    const client = createHttpClient({ runtime, limit });
    const response = await client.fetch(url);
    await runtime.advance(299_000);
    expect([limit.inflight, client.status()[0]?.unread]).toEqual([1, 1]);
    await runtime.advance(1_000);
    expect([limit.inflight, client.status()[0]?.unread]).toEqual([0, 0]);
    await runtime.advance(3_600_000);
    expect(await response.text()).toBe("still here");
  });

  it("with a bodyTimeout does not hurry whoever reads: a pause between two pieces costs the slot alone", async () => {
    const runtime = new VirtualRuntime();
    const { url, send } = await piecewise();
    const limit = limitOf(1);
    const client = createHttpClient({ runtime, limit, bodyTimeout: "2s" });
    const begun = client.fetch(url);
    await expect.poll(() => send("one, ")).toBe(true);
    const reader = (await begun).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe("one, ");
    expect([limit.inflight, client.status()[0]?.unread]).toEqual([1, 1]);
    await runtime.advance(10_000);
    expect(limit.inflight).toBe(0);
    send("two");
    expect(await read()).toBe("two");
    send();
    expect((await reader?.read())?.done).toBe(true);
  });

  it.each([
    ["text", (response: Response) => response.text()],
    ["json", async (response: Response) => JSON.stringify(await response.json())],
    ["blob", async (response: Response) => (await response.blob()).text()],
    ["a clone", (response: Response) => response.clone().text()],
    ["its body", (response: Response) => new Response(response.body).text()],
  ])("with a bodyTimeout counts silence, not the whole body, read by %s", async (_, read) => {
    const runtime = new VirtualRuntime();
    const { url, send } = await piecewise();
    const client = createHttpClient({ runtime, bodyTimeout: "2s" });
    const whole = client.fetch(url).then(read);
    for (const piece of ["[1", ",2", ",3", "]"]) {
      await expect.poll(() => send(piece)).toBe(true);
      // Real time for the piece to arrive, before the virtual one goes on.
      await new Promise((resolve) => setTimeout(resolve, 30));
      await runtime.advance(1_500);
    }
    send();
    expect(await whole).toBe("[1,2,3]");
    const silent = expect(client.fetch(url).then(read)).rejects.toMatchObject({ name: "TimeoutError" });
    await expect.poll(() => send("[1")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await runtime.advance(2_000);
    await silent;
    expect(client.status()).toMatchObject([{ inflight: 0, unread: 0 }]);
  });
});

describe("undici with a client", () => {
  it("counts silence only while somebody reads, and gives back the slot of a body that nobody does", async () => {
    const runtime = new VirtualRuntime();
    const url = await serving((_, response) => response.end("x".repeat(3_000_000)));
    const limit = limitOf(1);
    const client = createHttpClient({ runtime, limit, bodyTimeout: "2s" });
    const agent = new Agent();
    atEnd(() => agent.destroy());
    const { body } = await request(url, { dispatcher: agent.compose(client.interceptor) });
    await expect.poll(() => client.status()[0]?.unread).toBe(1);
    expect(limit.inflight).toBe(1);
    await runtime.advance(10_000);
    expect(limit.inflight).toBe(0);
    expect(await body.text()).toHaveLength(3_000_000);
  });
});

describe.each(Object.entries(senders))("with %s, a limit whose slots are held by unread bodies", (_, through) => {
  it("is named as the cause by the status and by the error of those who wait", async () => {
    const url = await serving((__, response) => response.write("x".repeat(3_000_000)));
    const client = createHttpClient({ limit: limitOf(2), acquireTimeout: "1s" });
    const send = through(client);
    const answers = await Promise.all([send(url), send(url)]);
    await expect.poll(() => client.status()[0]?.unread).toBe(2);
    const error: unknown = await send(url).catch((cause: unknown) => cause);
    const refusal = error instanceof TypeError ? error.cause : error;
    expect(refusal).toMatchObject({
      code: "DT_TIMEOUT",
      message: expect.stringContaining("2 slots are held by answers whose body is not read: read each, or cancel it"),
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
