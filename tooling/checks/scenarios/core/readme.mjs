import { createPacer, createThrottle, MemoryStore } from "@dt/core";

const store = new MemoryStore(); // For one process. In a fleet, the store of an adapter takes its place.

const throttle = createThrottle({ name: "llm", rate: "100/s", store });
const ask = throttle.wrap(async (question) => `${question}: 42`);
console.log(await Promise.all(["life", "the universe", "everything"].map((q) => ask(q))));
await throttle.stop();

const pacer = createPacer({ name: "mail", every: "50ms", store });
const send = pacer.wrap(async (to) => console.log(`mail to ${to} at ${performance.now().toFixed(0)} ms`));
await Promise.all(["ann", "bob", "cyd"].map((to) => send(to)));
await pacer.stop();
await store.close();
