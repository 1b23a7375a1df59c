import { statedMaximum } from "@dt/adaptive";
import type { Budget } from "@dt/budget";
import type { LanguageModelMiddleware } from "ai";

type Generate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type Params = Parameters<Generate>[0]["params"];

/**
 * A middleware of the AI SDK, by which every call of a model is made in a budget.
 * @example const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: inBudget(budget) })
 */
export function inBudget(budget: Budget<"requests" | "tokens">): LanguageModelMiddleware {
  const costOf = (params: Params) => ({
    tokens: { input: JSON.stringify(params.prompt).length / 4, output: { most: statedMaximum(params) } },
  });
  return {
    wrapGenerate: ({ doGenerate, params, model }) =>
      budget.run(async () => doGenerate(), { cost: costOf(params), model: model.modelId }),
    wrapStream: ({ doStream, params, model }) =>
      budget.run(async () => doStream(), { cost: costOf(params), model: model.modelId }),
  };
}
