const assert = require("node:assert/strict");
const { createBudget } = require("@dt/budget");
const { MemoryStore } = require("@dt/core");

async function main() {
  const store = new MemoryStore();
  const limits = { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } };
  const budget = createBudget({ name: "llm", limits, store });

  const lease = await budget.acquire({ tokens: 1_000 });
  assert.deepEqual(lease.cost, { requests: 1, tokens: 1_000 });
  lease.settle({ tokens: 830 });
  await budget.run(async () => ({ usage: { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 } }), {
    cost: { tokens: { input: 20, output: { most: 100 } } },
  });
  assert.equal(budget.status().estimated, 0);
  await budget.stop();
  assert.equal(budget.status().limits.tokens.rest, 60_000 - 900);
  await store.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
