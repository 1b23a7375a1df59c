/**
 * One of several workers that send pages to a service, which works on four pages at the same time:
 *
 *     node worker.ts <url> <file>
 *
 * Start it several times with the same file. SIGTERM ends it in order: its calls end, and their slots go to the others.
 */
import { createSemaphore } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const [url = "http://127.0.0.1:8080", path = "slots.db"] = process.argv.slice(2);

const store = sqliteStore({ path });
const slots = createSemaphore({ name: "ocr", max: 4, store });

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ending.abort());

/** Sends one page. The request ends with its slot, so that it never overlaps with the next one. */
async function send(page: number): Promise<void> {
  const answer = await slots.run((slot) => fetch(`${url}/${page}`, { signal: slot.signal }).then((it) => it.text()), {
    signal: ending.signal,
  });
  console.log(JSON.stringify({ page, answer }));
}

async function caller(first: number): Promise<void> {
  // A page that still waits when the program is to end was not sent.
  for (let page = first; !ending.signal.aborted; page += 3)
    await send(page).catch((error) => {
      if (!ending.signal.aborted) throw error;
    });
}

await Promise.all([caller(0), caller(1), caller(2)]);
const inOrder = await slots.drain({ timeout: "20s" });
await store.close();
console.log(JSON.stringify({ inOrder }));
