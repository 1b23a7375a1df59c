import { countIn, recordOf } from "./records.ts";

/**
 * The most tokens of output that a request states. Where it states several maxima the larger one counts: providers
 * disagree about which of them is obeyed. It knows `max_tokens` (OpenAI, Mistral, Anthropic), `max_completion_tokens`
 * and `max_output_tokens` (OpenAI), `maxOutputTokens` (AI SDK), those of Gemini's `generationConfig` and of its SDK's
 * `config`, `maxTokens` (Mistral's SDK) and that of Bedrock's `inferenceConfig`.
 * @param body the body of the request, before it becomes text, or the parameters of an SDK
 * @returns undefined where none is stated, or none makes sense
 * @example statedMaximum({ max_tokens: 256, max_completion_tokens: 4_096 }); // 4096
 */
export function statedMaximum(body: unknown): number | undefined {
  try {
    const request = recordOf(body);
    const gemini = recordOf(request["generationConfig"] ?? request["generation_config"]);
    const stated = [
      request["max_tokens"],
      request["max_completion_tokens"],
      request["max_output_tokens"],
      request["max_tokens_to_sample"],
      request["maxOutputTokens"],
      request["maxTokens"],
      gemini["maxOutputTokens"],
      gemini["max_output_tokens"],
      recordOf(request["config"])["maxOutputTokens"],
      recordOf(request["inferenceConfig"])["maxTokens"],
    ].flatMap((maximum) => countIn(maximum) ?? []);
    return stated.length === 0 ? undefined : Math.max(...stated);
  } catch {
    // What throws when it is looked at states nothing.
    return undefined;
  }
}
