import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { serving } from "../support/serving.ts";

/** Nothing in this process happens for so long, as if it had been stopped and continued. */
const standStill = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A server that refuses its first request, and answers the others when it is told to. */
async function holding(): Promise<{
  url: string;
  arrivals: number[];
  answer: () => void;
  answerOne: () => void;
}> {
  const arrivals: number[] = [];
  const held: (() => void)[] = [];
  let answering = false;
  const url = await serving((_, response) => {
    arrivals.push(performance.now());
    if (arrivals.length === 1)
      response.writeHead(429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.1" }).end();
    else if (answering) response.end("ok");
    else held.push(() => response.end("ok"));
  });
  const answer = (): void => {
    answering = true;
    for (const end of held.splice(0)) end();
  };
  return { url, arrivals, answer, answerOne: () => held.shift()?.() };
}

describe("after a pause", () => {
  it("one request goes first, and the others when the callee has answered it", async () => {
    const { url, arrivals, answer } = await holding();
    const client = createHttpClient({ retry: false });
    await (await client.fetch(url)).text();
    const all = Promise.all(Array.from({ length: 10 }, async () => (await client.fetch(url)).text()));
    await expect.poll(() => arrivals.length).toBe(2);
    // Those behind it wait here, and not at the callee.
    expect(client.status()).toMatchObject([{ waiting: 9, inflight: 1 }]);
    answer();
    expect(await all).toHaveLength(10);
    expect(arrivals).toHaveLength(11);
  });

  it("the first answer that tells nothing takes the refusal back: the others go out together", async () => {
    const { url, arrivals, answerOne } = await holding();
    const client = createHttpClient({ retry: false });
    await (await client.fetch(url)).text();
    const all = Promise.all(Array.from({ length: 10 }, async () => (await client.fetch(url)).text()));
    await expect.poll(() => arrivals.length).toBe(2);
    answerOne();
    // Nine are under way at once, none of them answered.
    await expect.poll(() => arrivals.length, { timeout: 700, interval: 20 }).toBe(11);
    expect(client.status()).toMatchObject([{ waiting: 0, inflight: 9 }]);
    for (let n = 0; n < 9; n++) answerOne();
    expect(await all).toHaveLength(10);
  });

  it("the others do not wait for long when the callee does not answer it", async () => {
    const { url, arrivals, answer } = await holding();
    const client = createHttpClient({ retry: false });
    await (await client.fetch(url)).text();
    const all = Promise.all(Array.from({ length: 10 }, async () => (await client.fetch(url)).text()));
    await expect.poll(() => arrivals.length).toBe(11);
    expect((arrivals[2] as number) - (arrivals[1] as number)).toBeGreaterThan(800);
    answer();
    expect(await all).toHaveLength(10);
  });

  it.each([
    { until: "long after its end", stillMs: 2_000, answerMs: 0, stillAtAnswerMs: 0 },
    { until: "nearly a second after its end, and the callee is slow", stillMs: 950, answerMs: 400, stillAtAnswerMs: 0 },
    { until: "long after the first one was answered", stillMs: 0, answerMs: 0, stillAtAnswerMs: 2_000 },
  ])(
    "one request goes first, also where the process stands still until $until",
    async ({ stillMs, answerMs, stillAtAnswerMs }) => {
      let requests = 0;
      const url = await serving((_, response) => {
        requests += 1;
        if (requests === 1) response.writeHead(429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.1" }).end();
        else if (requests === 2 && answerMs > 0) setTimeout(() => response.end("ok"), answerMs);
        else response.end("ok");
        if (requests === 2) standStill(stillAtAnswerMs);
      });
      const order: string[] = [];
      const noting: typeof fetch = async (...call) => {
        order.push("sent");
        const answer = await fetch(...call);
        order.push("answered");
        return answer;
      };
      const client = createHttpClient({ retry: false, fetch: noting });
      await (await client.fetch(url)).text();
      const all = Promise.all(Array.from({ length: 10 }, async () => (await client.fetch(url)).text()));
      await setImmediate();
      standStill(stillMs);
      expect(await all).toHaveLength(10);
      expect(order.slice(0, 5)).toEqual(["sent", "answered", "sent", "answered", "sent"]);
    },
  );

  it("who waits for the first one may give up", async () => {
    const { url, arrivals, answer } = await holding();
    const client = createHttpClient({ retry: false });
    await (await client.fetch(url)).text();
    const first = client.fetch(url);
    await expect.poll(() => arrivals.length).toBe(2);
    await expect(client.fetch(url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    const second = client.fetch(url);
    await client.stop();
    await expect(second).rejects.toMatchObject({ code: "DT_STOPPED" });
    answer();
    expect(await (await first).text()).toBe("ok");
    expect(arrivals).toHaveLength(2);
  });
});

describe("while a callee says what is left", () => {
  it("no more requests are on their way than that", async () => {
    let most = 0;
    let now = 0;
    const url = await serving((_, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        response.setHeader("ratelimit", '"concurrent";r=3;t=60').end("ok");
      }, 5);
    });
    const client = createHttpClient();
    await (await client.fetch(url)).text();
    await Promise.all(Array.from({ length: 30 }, async () => (await client.fetch(url)).text()));
    expect(most).toBe(3);
  });
});
