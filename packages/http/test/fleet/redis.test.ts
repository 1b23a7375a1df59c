import { startRedis } from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, onTestFinished, test } from "vitest";

const LIMIT = 20;
const SERVERS = new URL("./support/limited-servers.ts", import.meta.url);

/** What requests to a server are answered while the store is away. */
const WHILE_AWAY = {
  "express, open": 200,
  "express, closed": 500,
  "fastify, open": 200,
  "fastify, closed": 500,
  "ours, open": 200,
  "ours, closed": 503,
} as const;

type Kind = keyof typeof WHILE_AWAY;
const KINDS = Object.keys(WHILE_AWAY) as Kind[];

interface Answer {
  readonly status: number;
  readonly remaining: number;
  readonly retryAfter: string | null;
}

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url);
  await response.text();
  const remaining = Number(response.headers.get("ratelimit-remaining") ?? Number.NaN);
  return { status: response.status, remaining, retryAfter: response.headers.get("retry-after") };
}

test("three processes count exactly, go on as told while the store is away, and then count on", async () => {
  const redis = await startRedis({ control: true });
  onTestFinished(() => redis.stop());
  const lines: string[] = [];
  const processes = [1, 2, 3].map(
    () => new SourceProcess(SERVERS, [redis.url, String(LIMIT)], (line) => lines.push(line)),
  );
  onTestFinished(async () => void (await Promise.all(processes.map((process) => process.kill()))));
  const urls = (await Promise.all(
    processes.map(async (process) => JSON.parse(await process.said("listening"))),
  )) as Record<Kind, string>[];
  /** So many requests at once to each process. */
  const askAll = (kind: Kind, each: number): Promise<Answer[]> =>
    Promise.all(urls.flatMap((of) => Array.from({ length: each }, () => ask(of[kind]))));

  for (const kind of KINDS) {
    const answers = await askAll(kind, 10);
    // A process may have units in hand that another one would have spent: they come back soon.
    await expect
      .poll(async () => {
        if (kind.startsWith("ours")) answers.push(...(await askAll(kind, 1)));
        return answers.filter(({ status }) => status === 200).length;
      })
      .toBe(LIMIT);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(60);
    if (kind.startsWith("ours")) continue;
    // Each of those that were let through was one of the twenty, and no two were the same.
    const left = answers.filter(({ status }) => status === 200).map(({ remaining }) => remaining);
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, n) => n));
    expect((await askAll(kind, 3)).map(({ status }) => status)).toEqual(Array(9).fill(429));
  }

  await redis.kill();
  for (const kind of KINDS) {
    // What a process knows already, a refusal of before, it may still say for up to a second.
    await expect
      .poll(async () => (await askAll(kind, 1)).map(({ status }) => status))
      .toEqual(Array(3).fill(WHILE_AWAY[kind]));
    const answers = await askAll(kind, 5);
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(WHILE_AWAY[kind]));
    if (kind === "ours, closed") for (const { retryAfter } of answers) expect(Number(retryAfter)).toBeGreaterThan(0);
  }

  await redis.restart({ keepData: true });
  for (const kind of KINDS)
    await expect
      .poll(async () => (await askAll(kind, 1)).map(({ status }) => status), { interval: 200 })
      .toEqual(Array(3).fill(429));
  const said = (word: string): number => lines.filter((line) => line === word).length;
  for (const name of ["ours-open", "ours-closed"]) {
    await expect.poll(() => said(`back ${name}`) - said(`lost ${name}`)).toBe(0);
    expect(said(`lost ${name}`)).toBeGreaterThanOrEqual(3);
  }
});
