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
    wrapStream: async ({ doStream, params, model }) => {
      // The work ends with the stream inside the answer, so the stream is the result that the budget watches.
      let rest = {};
      const stream = await budget.run(
        async () => {
          const answer = await doStream();
          rest = answer;
          return answer.stream;
        },
        { cost: costOf(params), model: model.modelId },
      );
      return { ...rest, stream };
    },
  };
}
