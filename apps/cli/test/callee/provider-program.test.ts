import { until } from "@dt-tooling/backends";
import { type Provider, startProvider } from "@dt-tooling/backends/callee/provider";
import { expect, test } from "vitest";
import { startDt } from "../support/cli.ts";
import { ANTHROPIC, OPENAI } from "../support/provider.ts";

const BODY = { model: "m", messages: [{ role: "user", content: "x".repeat(320) }] };

function call(url: string, path: string, headers: Record<string, string>, fields: object = {}): Promise<Response> {
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify({ ...BODY, ...fields }) });
}

/** How many tokens come out of ten calls, one after the other. */
async function outputsOf(provider: Provider): Promise<number[]> {
  const outputs: number[] = [];
  for (let i = 0; i < 10; i++) {
    const answer = await call(provider.url, OPENAI, {});
    const { usage } = (await answer.json()) as { usage: { completion_tokens: number } };
    outputs.push(usage.completion_tokens);
  }
  return outputs;
}

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it in the middle of a stream, with its totals", async (signal) => {
  const args = ["--tokens", "1000/min", "--rate", "3/min", "--stream", "--takes", "0ms", "--token-takes", "1s"];
  const running = startDt(["callee", ...args, "--json"]);
  await until("it listens", 30_000, () => running.stdout.includes("\n"));
  const { url } = JSON.parse(running.stdout) as { url: string };
  const whole = { "X-Output-Tokens": "20" };
  expect((await call(url, OPENAI, whole)).status).toBe(200);
  const stream = await call(url, ANTHROPIC, { "X-Output-Tokens": "900" }, { stream: true });
  expect((await call(url, ANTHROPIC, { "X-Prompt-Tokens": "900" })).status).toBe(429);
  const broken = expect(stream.text()).rejects.toThrow();
  running.kill(signal);
  await broken;
  const { code, stdout } = await running.finished;
  expect(code).toBe(0);
  const { outputTokens, ...last } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({
    ...{ received: 3, accepted: 1, refused: 1, gone: 1, inFlight: 0, peakInFlight: 1 },
    ...{ promptTokens: 160, requestsInWindow: 2, peakRequestsPercent: 66.7 },
  });
  expect(last.tokensInWindow).toBe(160 + outputTokens);
  expect(outputTokens).toBeLessThan(920);
});

test("the books can be read as text, and every second has the standing of the window", async () => {
  const running = startDt(["callee", "--tokens", "1000/min", "--takes", "0ms"]);
  await until("it listens", 30_000, () => running.stdout.includes("\n"));
  const url = running.stdout.trim().replace("Listening on ", "");
  await call(url, OPENAI, { "X-Prompt-Tokens": "100", "X-Output-Tokens": "20" });
  running.kill("SIGTERM");
  const { code, stdout } = await running.finished;
  expect(code).toBe(0);
  expect(stdout).toContain("received 1, accepted 1, refused 0");
  expect(stdout).toContain("promptTokens 100, outputTokens 20, tokensInWindow 120, peakTokensPercent 12");
});

test("counts what its clients count, of calls and streams of both forms, admitted and refused", async () => {
  await using provider = await startProvider({ requests: "150/h", tokens: "9000/h", takesMs: 1, tokenTakesMs: 0 });
  let seen = { accepted: 0, refused: 0, promptTokens: 0, outputTokens: 0 };
  const one = async (index: number): Promise<void> => {
    const isOpenai = index % 2 === 0;
    const fields = index % 3 === 0 ? { stream: true, stream_options: { include_usage: true } } : {};
    const answer = await call(
      provider.url,
      isOpenai ? OPENAI : ANTHROPIC,
      { "X-Prompt-Tokens": `${index % 60}` },
      fields,
    );
    const text = await answer.text();
    if (answer.status !== 200) {
      seen = { ...seen, refused: seen.refused + 1 };
      return;
    }
    // Of a stream the last usage is the one that counts.
    const outputs = [...text.matchAll(/"(?:completion|output)_tokens":(\d+)/g)].map(([, count]) => Number(count));
    seen = {
      ...seen,
      accepted: seen.accepted + 1,
      promptTokens: seen.promptTokens + (index % 60),
      outputTokens: seen.outputTokens + (outputs.at(-1) ?? Number.NaN),
    };
  };
  for (let from = 0; from < 240; from += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => one(from + i)));
  await until("all have ended", 10_000, async () => (await provider.stats()).inFlight === 0);
  const stats = await provider.stats();
  expect(stats).toMatchObject({ received: 240, gone: 0, ...seen });
  expect(stats.refused).toBeGreaterThan(0);
  expect(stats.tokensInWindow).toBe(seen.promptTokens + seen.outputTokens);
  expect(stats.requestsInWindow).toBe(seen.accepted);
});

test("works on any number of calls at once, where nothing states how many", async () => {
  await using provider = await startProvider({ tokens: "100000/h", takesMs: 3_600_000, tokenTakesMs: 0 });
  const leaving = new AbortController();
  const calls = Array.from({ length: 25 }, () =>
    fetch(`${provider.url}${OPENAI}`, { method: "POST", body: JSON.stringify(BODY), signal: leaving.signal }),
  );
  const left = Promise.allSettled(calls);
  await until("all are in flight", 20_000, async () => (await provider.stats()).inFlight === 25);
  expect(await provider.stats()).toMatchObject({ longestQueue: 0 });
  leaving.abort();
  await left;
});

test("the same seed gives the same calls the same output", async () => {
  const settings = { tokens: "100000/min", takesMs: 0, tokenTakesMs: 0 };
  await using first = await startProvider({ ...settings, more: ["--seed", "7"] });
  await using second = await startProvider({ ...settings, more: ["--seed", "7"] });
  await using other = await startProvider({ ...settings, more: ["--seed", "8"] });
  const outputs = await outputsOf(first);
  expect(await outputsOf(second)).toEqual(outputs);
  expect(await outputsOf(other)).not.toEqual(outputs);
  const sum = outputs.reduce((a, b) => a + b, 0);
  expect(await first.stats()).toMatchObject({ accepted: 10, promptTokens: 800, outputTokens: sum, inFlight: 0 });
});
