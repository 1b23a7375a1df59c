import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** What a provider of the AI SDK is given, as far as the callee takes it. */
interface Given {
  readonly prompt: unknown;
  readonly maxOutputTokens?: number | undefined;
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** A fake provider of the AI SDK, whose model is asked at a callee that counts. */
export function modelOfCallee(url: string): MockLanguageModelV4 {
  const ask = async ({ prompt, maxOutputTokens }: Given) => {
    const response = await fetch(`${url}v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: prompt, max_tokens: maxOutputTokens }),
    });
    if (!response.ok) throw new Error(`the callee answers ${response.status}`);
    const { choices, usage } = (await response.json()) as Completion;
    return {
      text: choices[0]?.message.content ?? "",
      finishReason: { unified: "stop", raw: "stop" } as const,
      usage: {
        inputTokens: { total: usage.prompt_tokens, noCache: usage.prompt_tokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: usage.completion_tokens, text: usage.completion_tokens, reasoning: 0 },
      },
    };
  };
  return new MockLanguageModelV4({
    doGenerate: async (given) => {
      const { text, ...rest } = await ask(given);
      return { content: [{ type: "text", text }], warnings: [], ...rest };
    },
    doStream: async (given) => {
      const { text, ...rest } = await ask(given);
      const stream = simulateReadableStream({
        chunkDelayInMs: 20,
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          { type: "text-start" as const, id: "1" },
          { type: "text-delta" as const, id: "1", delta: text },
          { type: "text-end" as const, id: "1" },
          { type: "finish" as const, ...rest },
        ],
      });
      return { stream };
    },
  });
}
