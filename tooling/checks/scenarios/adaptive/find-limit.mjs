import { createConcurrencyLimit } from "@dt/adaptive";

const limit = createConcurrencyLimit({ name: "search" });

// Stands for a request to your callee. Read the answer's body in here, so that the whole call is measured.
const search = limit.wrap(async (query) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return `results for ${query}`;
});

const answers = await Promise.all(Array.from({ length: 300 }, (_, query) => search(query)));
console.log(`${answers.length} answers; calls that may be in flight: ${Math.floor(limit.status().limit)}`);
await limit.stop();
