/**
 * The SDK of OpenAI in a budget: questions that are answered at once, and as streams.
 *
 *     OPENAI_API_KEY=... node openai.ts <base url> <requests> <tokens>     such as 600/min 60000/min
 */
import { statedMaximum } from "@dt/adaptive";
import { createBudget } from "@dt/budget";
import { MemoryStore, type Rate } from "@dt/core";
import { createHttpClient } from "@dt/http";
import OpenAI from "openai";

const [baseURL = "https://api.openai.com/v1", requests = "600/min", tokens = "60000/min"] = process.argv.slice(2) as [
  string?,
  Rate?,
  Rate?,
];

const store = new MemoryStore(); // In a fleet: a store that all processes share, such as redisStore({ url }).
const limits = { requests: { rate: requests }, tokens: { rate: tokens } } as const;
const budget = createBudget({ name: "openai", limits, lateness: "250ms", store });

const http = createHttpClient({ alsoPause: [budget], retry: false });
const openai = new OpenAI({
  baseURL,
  maxRetries: 0, // A retry would be a call that the budget does not know.
  fetch: async (...request) => {
    const response = await http.fetch(...request);
    budget.learn(response);
    return response;
  },
});

const options = {
  cost: (request: OpenAI.ChatCompletionCreateParams) => ({
    tokens: { input: JSON.stringify(request.messages).length / 4, output: { most: statedMaximum(request) } },
  }),
  model: ({ model }: OpenAI.ChatCompletionCreateParams) => model,
};
const ask = budget.wrap(
  async (request: OpenAI.ChatCompletionCreateParamsNonStreaming) => openai.chat.completions.create(request),
  options,
);
const stream = budget.wrap(
  async (request: OpenAI.ChatCompletionCreateParamsStreaming) => openai.chat.completions.create(request),
  options,
);

let settled = 0;
budget.on("settled", ({ cost }) => (settled += cost["tokens"] as number));

const question = (n: number) => ({
  model: n % 3 === 0 ? "large" : "small",
  messages: [{ role: "user" as const, content: `Question ${n}: how many tokens are left?` }],
  max_completion_tokens: 100,
});
let characters = 0;
const asked = Array.from({ length: 30 }, async (_, n) => {
  const { choices } = await ask(question(n));
  characters += choices[0]?.message.content?.length ?? 0;
});
const streamed = Array.from({ length: 30 }, async (_, n) => {
  const chunks = await stream({ ...question(n), stream: true, stream_options: { include_usage: true } });
  for await (const { choices } of chunks) characters += choices[0]?.delta.content?.length ?? 0;
});
await Promise.all([...asked, ...streamed]);

const {
  calls: { granted },
  estimated,
} = budget.status();
await budget.stop();
await http.stop();
console.log(JSON.stringify({ granted, estimated, settled, characters }));
