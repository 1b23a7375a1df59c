import { createBudget } from "@dt/budget";
import { MemoryStore } from "@dt/core";
import { startProvider } from "@dt-tooling/backends/callee/provider";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { expect, it, onTestFinished } from "vitest";
import { inBudget } from "../src/ai-sdk-middleware.ts";
import { modelOfCallee } from "./support/model-of-callee.ts";

it("a model of the AI SDK in a budget is never refused, and streams are settled at their end", {
  timeout: 120_000,
}, async () => {
  const provider = await startProvider({ requests: "40/4s", tokens: "4000/4s", takesMs: 50, tokenTakesMs: 0 });
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const limits = { requests: { rate: "40/4s" }, tokens: { rate: "4000/4s" } } as const;
  const budget = createBudget({ name: "ai", limits, lateness: "250ms", store: new MemoryStore() });
  let settled = 0;
  budget.on("settled", ({ cost }) => {
    settled += cost["tokens"] ?? 0;
  });
  const model = wrapLanguageModel({ model: modelOfCallee(provider.url), middleware: inBudget(budget) });

  const asked = (n: number) => ({ model, prompt: `Question ${n}?`, maxOutputTokens: 100, maxRetries: 0 });
  const texts = await Promise.all(
    Array.from({ length: 50 }, async (_, n) =>
      n % 2 === 0 ? (await generateText(asked(n))).text : streamText(asked(n)).text,
    ),
  );

  const stats = await provider.stats();
  expect(stats).toMatchObject({ received: 50, accepted: 50, refused: 0 });
  expect(stats.peakRequestsPercent).toBeLessThanOrEqual(100);
  expect(stats.peakTokensPercent).toBeLessThanOrEqual(100);
  expect(budget.status()).toMatchObject({ calls: { granted: 50 }, settled: 50, estimated: 0, open: 0 });
  expect(settled).toBe(stats.promptTokens + stats.outputTokens);
  expect(texts.join("")).toHaveLength(4 * stats.outputTokens);
  await budget.stop();
});
