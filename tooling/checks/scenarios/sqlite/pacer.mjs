import { createPacer } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

const fetchPage = pacer.wrap(async (page) => {
  console.log(`page ${page} at ${new Date().toISOString()}`);
});
await Promise.all(Array.from({ length: 10 }, (_, page) => fetchPage(page)));

await pacer.stop(); // Instants that were reserved for waiting calls go back to the other processes.
await store.close();
