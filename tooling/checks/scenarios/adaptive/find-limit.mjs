import { createConcurrencyLimit } from "@dt/adaptive";

const limit = createConcurrencyLimit({ name: "search" });

// Stands for a request to your callee. Read the answer's body in here.
const search = limit.wrap(async (query) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return `results for ${query}`;
});

const queries = Array.from({ length: 300 }, (_, number) => `query ${number}`);
const answers = await Promise.all(queries.map((query) => search(query)));
console.log(answers.length, "answers");
console.log(Math.floor(limit.status().limit), "calls may be in flight");
await limit.stop();
