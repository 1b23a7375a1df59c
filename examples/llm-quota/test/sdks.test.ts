import { startProvider } from "@dt-tooling/backends/callee/provider";
import { describe, expect, it, onTestFinished } from "vitest";
import { start } from "./support/program.ts";

/** What a program prints at its end. */
interface Printed {
  readonly granted: number;
  readonly estimated: number;
  readonly settled: number;
  readonly characters: number;
}

/** Runs a program to its end, before a provider that counts. */
async function counted(program: string, argsOf: (url: string) => readonly string[]) {
  const settings = { requests: "40/4s", tokens: "2000/4s", takesMs: 50, tokenTakesMs: 1 };
  const provider = await startProvider(settings);
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const { output, code } = await start(program, ...argsOf(provider.url)).ended;
  expect(code).toBe(0);
  return { printed: JSON.parse(output) as Printed, stats: await provider.stats() };
}

describe.each([
  ["openai", (url: string) => [`${url}v1`, "40/4s", "2000/4s"]],
  ["anthropic", (url: string) => [url, "40/4s", "400/4s", "1600/4s"]],
] as const)("the SDK of %s in a budget", (program, argsOf) => {
  it("is never refused, keeps the limits in every window, and is settled by what was used", {
    timeout: 120_000,
  }, async () => {
    const { printed, stats } = await counted(program, argsOf);
    expect(stats).toMatchObject({ received: 60, accepted: 60, refused: 0, gone: 0 });
    expect(stats.peakRequestsPercent).toBeLessThanOrEqual(100);
    expect(stats.peakTokensPercent).toBeLessThanOrEqual(100);
    expect(printed).toMatchObject({ granted: 60, estimated: 0 });
    expect(printed.settled).toBe(stats.promptTokens + stats.outputTokens);
    expect(printed.characters).toBe(4 * stats.outputTokens);
  });
});
