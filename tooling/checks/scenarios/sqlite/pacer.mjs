import { createPacer } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

const fetchPage = pacer.wrap(async (page) => {
  console.log(`page ${page} at ${new Date().toISOString()}`);
});
await Promise.all(Array.from({ length: 10 }, (_, page) => fetchPage(page)));

await pacer.stop(); // Instants reserved for those who still wait go back to the others.
await store.close();
