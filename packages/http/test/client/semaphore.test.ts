import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createSemaphore, MemoryStore, type Semaphore, type SemaphoreOptions } from "@dt/core";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { atEnd, serving } from "../support/serving.ts";

/** A started semaphore that ends with the test. */
async function semaphoreOf(options: Partial<SemaphoreOptions> = {}): Promise<Semaphore> {
  const store = new MemoryStore();
  const semaphore = createSemaphore({ name: "api", max: 1, store, ...options });
  await semaphore.start();
  atEnd(async () => {
    await semaphore.stop();
    await store.close();
  });
  return semaphore;
}

describe.each(Object.entries(senders))("a slot of the fleet, with %s,", (_, through) => {
  it("is held until the body of the answer was read to its end", async () => {
    let finish: (() => void) | undefined;
    const url = await serving((__, response) => {
      response.write("begun, ");
      finish = () => response.end("ended");
    });
    const semaphore = await semaphoreOf();
    const answer = await through(createHttpClient({ semaphore }))(url);
    const text = answer.text();
    expect(semaphore.status().inUse).toBe(1);
    finish?.();
    expect(await text).toBe("begun, ended");
    expect(semaphore.status().inUse).toBe(0);
  });

  it("is free when its caller gives the request up, before the answer or in its body", async () => {
    const url = await serving((request, response) => {
      if (request.url === "/body") response.write("begun");
    });
    const semaphore = await semaphoreOf();
    const send = through(createHttpClient({ semaphore }));
    await expect(send(url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: "TimeoutError" });
    const late = new AbortController();
    const text = (await send(`${url}/body`, { signal: late.signal })).text();
    late.abort(new Error("no longer wanted"));
    await expect(text).rejects.toThrow("no longer wanted");
    expect(semaphore.status().inUse).toBe(0);
  });

  it("aborts its request with the reason when it is lost, before the answer or in its body", async () => {
    const begun: ServerResponse[] = [];
    const url = await serving((request, response) => {
      begun.push(response);
      if (request.url === "/body") response.write("begun");
    });
    for (const path of ["/", "/body"]) {
      const semaphore = await semaphoreOf();
      const answer = through(createHttpClient({ semaphore }))(url + path).then((it) => it.text());
      // undici's own fetch has it as the cause of its error.
      const lost = answer.then(
        () => "answered",
        (error: Error & { code?: string }) => (error.cause as typeof error | undefined)?.code ?? error.code,
      );
      await expect.poll(() => begun.length).toBe(path === "/" ? 1 : 2);
      const gone = once(begun.at(-1) as ServerResponse, "close");
      // Where the head was sent, the client may not have it yet: the request ends all the same.
      await semaphore.stop();
      expect(await lost).toBe("DT_SLOT_LOST");
      await gone;
      expect(semaphore.status()).toMatchObject({ inUse: 0, lost: 1 });
    }
  });

  it("aborts a request that takes longer than maxHold, which is tried again", async () => {
    let requests = 0;
    const url = await serving((__, response) => {
      requests += 1;
      if (requests === 2) response.end("in time");
    });
    const semaphore = await semaphoreOf({ maxHold: "100ms" });
    const send = through(createHttpClient({ semaphore, retry: { baseDelay: "1ms" } }));
    expect(await (await send(url)).text()).toBe("in time");
    expect([requests, semaphore.status()]).toMatchObject([2, { overdue: 1, inUse: 0 }]);
  });

  it("of an answer that nobody reads is free after bodyTimeout, with an end of the request", async () => {
    let gone: Promise<unknown> | undefined;
    const url = await serving((__, response) => {
      gone = once(response, "close");
      response.write("x".repeat(1_000_000));
    });
    const semaphore = await semaphoreOf();
    const answer = await through(createHttpClient({ semaphore, bodyTimeout: "50ms" }))(url);
    expect(semaphore.status().inUse).toBe(1);
    await expect.poll(() => semaphore.status().inUse).toBe(0);
    await gone;
    await expect(answer.text()).rejects.toThrow();
  });
});

it("clients that share a semaphore on one store never have more requests in flight than max", async () => {
  let inWork = 0;
  let most = 0;
  const url = await serving((_, response) => {
    inWork += 1;
    most = Math.max(most, inWork);
    setTimeout(() => {
      inWork -= 1;
      response.end("done");
    }, 5);
  });
  const store = new MemoryStore();
  const clients = [1, 2, 3].map(() => {
    const semaphore = createSemaphore({ name: "api", max: 4, store });
    atEnd(() => semaphore.stop());
    return createHttpClient({ semaphore });
  });
  atEnd(() => store.close());
  const texts = clients.flatMap(({ fetch }) =>
    Array.from({ length: 30 }, async () => (await fetch(url, { keepalive: true })).text()),
  );
  expect(new Set(await Promise.all(texts))).toEqual(new Set(["done"]));
  expect(most).toBe(4);
});
