import { once } from "node:events";
import { createServer } from "node:http";
import { createConcurrencyLimit } from "@dt/adaptive";

// Stands for a service whose limit is not written down.
const server = createServer((_, response) => setTimeout(() => response.end("ok"), 20)).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;

const limit = createConcurrencyLimit();
limit.on("limit", ({ before, limit }) => console.log(`${before.toFixed(1)} -> ${limit.toFixed(1)} in flight`));

const get = limit.wrap(async (page) => (await fetch(`${url}/${page}`)).text());
const answers = await Promise.all(Array.from({ length: 500 }, (_, page) => get(page)));
console.log(`${answers.length} answers, ${limit.status().shed} calls turned away`);

await limit.stop();
server.close();
