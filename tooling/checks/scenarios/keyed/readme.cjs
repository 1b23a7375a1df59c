const assert = require("node:assert/strict");
const { MemoryStore } = require("@dt/core");
const { createKeyed } = require("@dt/keyed");

async function main() {
  const store = new MemoryStore();
  const limits = createKeyed({ name: "api", store, limit: () => ({ rate: "5/min", concurrent: 2 }) });

  for (let n = 0; n < 2; n++) assert.equal((await limits.check("a")).allowed, true);
  assert.equal((await limits.check("a")).limitedBy, "concurrent");
  assert.equal((await limits.check("b", 5)).remaining, 0);
  const limiter = limits.for("c");
  assert.equal(await limiter.run(async (slot) => slot.cost, { cost: 3 }), 3);
  assert.equal((await limiter.peek()).remaining, 2);
  await limits.reset("c");
  assert.equal((await limiter.peek()).remaining, 5);
  await limits.stop();
  await store.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
