/**
 * Sends batches of pages to a service, which works on four pages at the same time. A batch of three pages takes three
 * slots:
 *
 *     node batches.ts <url> <file>
 */
import { createSemaphore } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const [url = "http://127.0.0.1:8080", path = "slots.db"] = process.argv.slice(2);

const store = sqliteStore({ path });
const slots = createSemaphore({ name: "ocr", max: 4, store });

for (const pages of [1, 2, 1, 2, 2, 1]) {
  // The slots are released at the end of the block, whatever happens in it.
  using slot = await slots.acquire(pages, { timeout: "30s" });
  const answer = await fetch(url, { headers: { "x-pages": String(pages) }, signal: slot.signal });
  console.log(JSON.stringify({ pages, answer: await answer.text() }));
}

await slots.stop();
await store.close();
