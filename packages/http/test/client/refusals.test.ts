import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { senders } from "../support/senders.ts";
import { serving } from "../support/serving.ts";

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

/** A server that refuses its first request so, and takes the others; and when they came. */
async function refusing(status: number, fields: () => Record<string, string>, sendDate = true) {
  const arrivals: number[] = [];
  const url = await serving((_, response) => {
    response.sendDate = sendDate;
    if (arrivals.push(performance.now()) === 1) response.writeHead(status, fields()).end();
    else response.end("ok");
  });
  return { url, arrivals };
}

const gapOf = ([first = 0, second = 0]: readonly number[]): number => second - first;

describe.each(Object.entries(senders))("with %s, a request that is refused", (_, through) => {
  it.each([
    [429, "nothing at all", () => ({})],
    [503, "what makes no sense", () => ({ "retry-after": "in a moment" })],
    [429, "a fraction", () => ({ "retry-after": "1.1" })],
    [403, "a time, and that it is not to be now", () => ({ "retry-after": "1" })],
    [403, "that nothing is left", () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(2) })],
    [400, "OpenAI's fields", () => ({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s" })],
    [
      429,
      "Anthropic's",
      () => ({ "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": inSeconds(2) }),
    ],
    [429, "milliseconds", () => ({ "retry-after-ms": "1000" })],
  ])("by %i and told %s is made again after about a second, and others wait as long", async (status, __, fields) => {
    const { url, arrivals } = await refusing(status, fields);
    const client = createHttpClient();
    const send = through(client);
    const first = send(url);
    await expect.poll(() => client.status()[0]?.pausedForMs, { interval: 5 }).toBeGreaterThan(500);
    const answers = await Promise.all([first, send(url)]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(gapOf(arrivals)).toBeGreaterThan(900);
  });

  it("by a bare 403 is the answer, and nobody waits", async () => {
    const { url } = await refusing(403, () => ({}));
    const client = createHttpClient();
    expect((await through(client)(url)).status).toBe(403);
    expect(client.status()).toMatchObject([{ pausedForMs: 0 }]);
  });

  it("for a time that only its own hook can read waits for it", async () => {
    const { url, arrivals } = await refusing(418, () => ({ "x-brew-seconds": "1" }));
    const client = createHttpClient({
      readAnswer: ({ header }) => {
        const seconds = header("X-Brew-Seconds");
        return seconds === undefined ? undefined : { pauseMs: Number(seconds) * 1_000 };
      },
    });
    const heard: string[] = [];
    client.on("paused", ({ by }) => heard.push(by));
    expect((await through(client)(url)).status).toBe(200);
    expect(gapOf(arrivals)).toBeGreaterThan(900);
    expect(heard).toEqual(["readAnswer"]);
  });

  it("for a time that only its classifier knows waits for it", async () => {
    const { url, arrivals } = await refusing(418, () => ({}));
    const client = createHttpClient({
      classify: (ended) =>
        "value" in ended && (ended.value as { status: number }).status === 418
          ? { outcome: "overload", retryAfterMs: 1_000 }
          : undefined,
    });
    expect((await through(client)(url)).status).toBe(200);
    expect(gapOf(arrivals)).toBeGreaterThan(900);
  });
});

describe("a refusal", () => {
  it("until a date is obeyed by our clock where the server does not tell its own", async () => {
    const { url, arrivals } = await refusing(
      429,
      () => ({ "retry-after": new Date(Date.now() + 2_000).toUTCString() }),
      false,
    );
    const client = createHttpClient({ retry: false });
    for (let n = 0; n < 2; n++) await (await client.fetch(url)).text();
    expect(gapOf(arrivals)).toBeGreaterThan(900);
  });

  it("that tells nothing shuts out nobody while others are served; where nothing is, each in a row doubles the pause", async () => {
    let refuses = false;
    const url = await serving((_, response) => response.writeHead(refuses ? 503 : 200).end());
    const client = createHttpClient({ retry: false, acquireTimeout: "10ms" });
    const pauses: number[] = [];
    client.on("paused", ({ by, forMs }) => by === "refusal" && pauses.push(forMs));
    await client.fetch(url);
    refuses = true;
    await client.fetch(url);
    expect(pauses).toEqual([]);
    /** Asks until so many pauses have begun. Requests during a pause are refused here, at once. */
    const pausedTimes = (count: number) =>
      expect
        .poll(
          () =>
            client.fetch(url).then(
              () => pauses.length,
              () => pauses.length,
            ),
          { timeout: 4_000 },
        )
        .toBe(count);
    await pausedTimes(1);
    await pausedTimes(2);
    expect(pauses[0]).toBeGreaterThanOrEqual(1_000);
    expect(pauses[0]).toBeLessThanOrEqual(1_500);
    expect(pauses[1]).toBeGreaterThanOrEqual(2_000);
  });
});

it.each([
  ["readAnswer", { readAnswer: "retry-after" }, /readAnswer is "retry-after"; give a function/],
  ["maxWaiters", { maxWaiters: 0 }, /maxWaiters is 0/],
  ["refusalPause", { refusalPause: -1 }, /refusalPause is -1/],
])("the option %s is checked", (_, options, message) => {
  expect(() => createHttpClient(options as never)).toThrow(message);
});

it.each([
  [{ pauseMs: Number.NaN }, /readAnswer.pauseMs is NaN/],
  [{ pauseMs: -1 }, /readAnswer.pauseMs is -1/],
  [{ pauses: 1 }, /pauses: there is no such option/],
  [7, /readAnswer is 7/],
  [{ refused: "yes" }, /readAnswer.refused is "yes"; give true or false/],
])("a hook that gives %j is the request's error", async (given, message) => {
  const url = await serving((_, response) => response.end("ok"));
  const client = createHttpClient({ readAnswer: () => given as never });
  await expect(client.fetch(url)).rejects.toThrow(message);
  expect(client.status()).toMatchObject([{ inflight: 0 }]);
});
