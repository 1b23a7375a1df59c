import { performance } from "node:perf_hooks";
import { createPacer, createSemaphore, createThrottle, MemoryStore, type PauseEnd } from "@dt/core";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClientOptions } from "../../src/index.ts";
import { serving } from "../support/serving.ts";

const WAIT_MS = 1_000;

/** A fleet-wide limiter, as a client has it and as a test looks at it. */
interface Shared {
  readonly options: HttpClientOptions;
  on(event: "paused", listener: () => void): unknown;
  stop(): Promise<void>;
}

const kinds: Readonly<Record<string, (store: MemoryStore) => Shared>> = {
  pacer: (store) => {
    const pacer = createPacer({ name: "api", rate: 200, store });
    return { options: { pacer }, on: (event, listener) => pacer.on(event, listener), stop: () => pacer.stop() };
  },
  throttle: (store) => {
    const throttle = createThrottle({ name: "api", rate: "20/100ms", store });
    return {
      options: { throttle },
      on: (event, listener) => throttle.on(event, listener),
      stop: () => throttle.stop(),
    };
  },
  semaphore: (store) => {
    const semaphore = createSemaphore({ name: "api", max: 6, store });
    return {
      options: { semaphore },
      on: (event, listener) => semaphore.on(event, listener),
      stop: () => semaphore.stop(),
    };
  },
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("three processes, of which one is told 429 with Retry-After", () => {
  it.each(Object.entries(kinds))("send nothing before it is over, by their %s", async (_, make) => {
    const store = new MemoryStore();
    const arrivals: { id: string; at: number }[] = [];
    let refusedAtMs: number | undefined;
    const url = await serving((request, response) => {
      const at = performance.now();
      arrivals.push({ id: request.headers["x-id"] as string, at });
      // Once all three have been here.
      const clients = new Set(arrivals.map(({ id }) => id.split(" ")[0]));
      if (refusedAtMs !== undefined || clients.size < 3) return void response.end("ok");
      refusedAtMs = at;
      response.writeHead(429, { "retry-after": String(WAIT_MS / 1_000) }).end();
    });
    /** When each process learned of the pause, and what it had sent by then. */
    const sentBefore = new Map<string, Set<string>>();
    const members = ["a", "b", "c"].map((name) => {
      const shared = make(store);
      const sent = new Set<string>();
      const client = createHttpClient({
        ...shared.options,
        retry: false,
        fetch: (input, init) => {
          sent.add(new Headers((init as RequestInit).headers).get("x-id") as string);
          return fetch(input, init);
        },
      });
      // At the end of this turn: what was let through in it is on its way.
      const note = (): unknown => sentBefore.has(name) || sentBefore.set(name, new Set(sent));
      shared.on("paused", () => setImmediate(note));
      ends.push(
        () => client.stop(),
        () => shared.stop(),
      );
      return { name, client };
    });
    // Each asks again and again, and goes on for a while after the pause.
    const isOver = (): boolean => refusedAtMs !== undefined && performance.now() > refusedAtMs + 1.3 * WAIT_MS;
    await Promise.all(
      members.flatMap(({ name, client }) =>
        ["0", "1", "2"].map(async (lane) => {
          for (let n = 0; !isOver(); n++) {
            const answer = await client.fetch(url, { headers: { "x-id": `${name} ${lane} ${n}` } });
            await answer.text();
          }
        }),
      ),
    );
    expect([...sentBefore.keys()].sort()).toEqual(["a", "b", "c"]);
    const endMs = (refusedAtMs as unknown as number) + WAIT_MS;
    const early = arrivals.filter(({ id, at }) => {
      const wasInFlight = sentBefore.get(id.split(" ")[0] as string)?.has(id);
      return at > (refusedAtMs as unknown as number) && at < endMs && !wasInFlight;
    });
    expect(early).toEqual([]);
    // All of them go on afterwards.
    const later = arrivals.filter(({ at }) => at >= endMs).map(({ id }) => id.split(" ")[0]);
    expect(new Set(later)).toEqual(new Set(["a", "b", "c"]));
  });
});

describe("what a client shares", () => {
  async function told(
    head: readonly [status: number, fields: Readonly<Record<string, string>>],
    options: HttpClientOptions = {},
  ): Promise<PauseEnd[]> {
    const seen: PauseEnd[] = [];
    const url = await serving((_, response) => response.writeHead(...(head as [number, Record<string, string>])).end());
    const limiter = { pauseUntil: (until: PauseEnd) => void seen.push(until) };
    const client = createHttpClient({ retry: false, alsoPause: [limiter], ...options });
    ends.push(() => client.stop());
    await (await client.fetch(url)).text();
    return seen;
  }

  it("is the stated wait of a refusal, for maxPause at most", async () => {
    expect(await told([429, { "retry-after": "7" }])).toEqual(["7000ms"]);
    expect(await told([503, { "retry-after": "900" }])).toEqual(["60000ms"]);
    expect(await told([429, { "retry-after-ms": "12" }], { maxPause: "5ms" })).toEqual(["5ms"]);
    expect(
      await told([418, {}], { classify: () => ({ outcome: "overload", refused: true, retryAfterMs: 40 }) }),
    ).toEqual(["40ms"]);
  });

  it("is no guess, no answer that was no refusal, and nothing without sharePauses", async () => {
    expect(await told([429, {}])).toEqual([]);
    expect(await told([200, { "retry-after": "7" }])).toEqual([]);
    expect(await told([200, { ratelimit: '"p";r=0;t=20' }])).toEqual([]);
    expect(await told([429, { "retry-after": "7" }], { sharePauses: false })).toEqual([]);
  });

  it("is told to each callee's own limiters alone, and what cannot be paused is refused", async () => {
    const byName: string[] = [];
    const alsoPause = (name: string) => [{ pauseUntil: () => void byName.push(name) }];
    const refusing = await serving((_, response) => response.writeHead(429, { "retry-after": "7" }).end());
    const other = await serving((_, response) => response.end());
    const client = createHttpClient({ retry: false, alsoPause });
    ends.push(() => client.stop());
    for (const url of [other, refusing]) await (await client.fetch(url)).text();
    expect(byName).toEqual([refusing]);
    const wrong = createHttpClient({ alsoPause: [{}] as never });
    await expect(wrong.fetch(other)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  });
});
