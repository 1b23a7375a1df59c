const { createPacer, createThrottle, MemoryStore } = require("@dt/core");

async function main() {
  const store = new MemoryStore(); // one process; the adapters take its place in a fleet

  const throttle = createThrottle({ name: "llm", max: 100, interval: "1s", store });
  const ask = throttle.wrap(async (question) => `${question}: 42`);
  console.log(await Promise.all(["life", "the universe", "everything"].map((q) => ask(q))));
  await throttle.stop();

  const pacer = createPacer({ name: "mail", every: "50ms", store });
  const send = pacer.wrap(async (to) => console.log(`mail to ${to} at ${performance.now().toFixed(0)} ms`));
  await Promise.all(["ann", "bob", "cyd"].map((to) => send(to)));
  await pacer.stop();
  await store.close();
}

main();
