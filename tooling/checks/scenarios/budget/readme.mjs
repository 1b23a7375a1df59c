import { createBudget } from "@dt/budget";
import { MemoryStore } from "@dt/core";

// In a fleet: a store that all processes share, such as redisStore({ url }).
const store = new MemoryStore();
const limits = { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } };
const budget = createBudget({ name: "llm", limits, store });

// Stands for a language model, which reports what a call has cost.
const complete = async (prompt) => ({
  text: `${prompt}!`,
  usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
});

const ask = budget.wrap(complete, { cost: (prompt) => ({ tokens: { input: prompt.length, output: { most: 100 } } }) });
const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(`question ${n}`)));

const { calls, settled, estimated } = budget.status();
console.log(
  `${answers.length} answers: ${calls.granted} granted, ${settled} settled, ${estimated} of them by estimate`,
);
await budget.stop(); // Sends what is settled. The other processes go on.
console.log(`${60_000 - budget.status().limits.tokens.rest} tokens spent`);
await store.close();
