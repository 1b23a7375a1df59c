/**
 * The SDK of Anthropic in a budget with limits of input and of output: messages at once, and as streams.
 *
 *     ANTHROPIC_API_KEY=... node anthropic.ts <base url> <requests> <input tokens> <output tokens>
 */
import Anthropic from "@anthropic-ai/sdk";
import { statedMaximum } from "@dt/adaptive";
import { createBudget } from "@dt/budget";
import { MemoryStore, type Rate } from "@dt/core";
import { createHttpClient } from "@dt/http";

const [baseURL = "https://api.anthropic.com", requests = "50/min", input = "30000/min", output = "8000/min"] =
  process.argv.slice(2) as [string?, Rate?, Rate?, Rate?];

const store = new MemoryStore(); // In a fleet: a store that all processes share, such as redisStore({ url }).
const budget = createBudget({
  name: "anthropic",
  limits: {
    requests: { rate: requests },
    "input-tokens": { rate: input, weights: { cached: 0, output: 0, reasoning: 0 } },
    "output-tokens": { rate: output, weights: { input: 0, cached: 0, cacheWrite: 0 } },
  },
  lateness: "250ms",
  store,
});

const http = createHttpClient({ alsoPause: [budget], retry: false });
const anthropic = new Anthropic({
  baseURL,
  maxRetries: 0, // A retry would be a call that the budget does not know.
  fetch: async (...request) => {
    const response = await http.fetch(...request);
    budget.learn(response);
    return response;
  },
});

const options = {
  cost: (request: Anthropic.MessageCreateParams) => ({
    "input-tokens": { input: JSON.stringify(request.messages).length / 4 },
    "output-tokens": { output: { most: statedMaximum(request) } },
  }),
  model: ({ model }: Anthropic.MessageCreateParams) => model,
};
const ask = budget.wrap(
  async (request: Anthropic.MessageCreateParamsNonStreaming) => anthropic.messages.create(request),
  options,
);
const stream = budget.wrap(
  async (request: Anthropic.MessageCreateParamsStreaming) => anthropic.messages.create(request),
  options,
);

let settled = 0;
budget.on("settled", ({ cost }) => {
  settled += (cost["input-tokens"] as number) + (cost["output-tokens"] as number);
});

const question = (n: number) => ({
  model: "claude",
  messages: [{ role: "user" as const, content: `Question ${n}: how many tokens are left?` }],
  max_tokens: 100,
});
let characters = 0;
const asked = Array.from({ length: 30 }, async (_, n) => {
  const { content } = await ask(question(n));
  for (const block of content) characters += block.type === "text" ? block.text.length : 0;
});
const streamed = Array.from({ length: 30 }, async (_, n) => {
  for await (const event of await stream({ ...question(n), stream: true }))
    if (event.type === "content_block_delta" && event.delta.type === "text_delta")
      characters += event.delta.text.length;
});
await Promise.all([...asked, ...streamed]);

const {
  calls: { granted },
  estimated,
} = budget.status();
await budget.stop();
await http.stop();
console.log(JSON.stringify({ granted, estimated, settled, characters }));
