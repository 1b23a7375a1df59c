import { once } from "node:events";
import { createServer } from "node:http";
import { createHttpClient } from "@dt/http";
import { createServerLimit } from "@dt/http/server";

// The server takes five requests a second of each address, and reports that with every answer.
const limit = createServerLimit({ policies: [{ name: "api", rate: "5/s", key: ({ address }) => address }] });
const server = createServer(limit.node((_, response) => response.end("ok"))).listen(0, "127.0.0.1");
await once(server, "listening");

// The client obeys what any server reports. client.fetch is fetch.
const client = createHttpClient();
const statuses = [];
for (let page = 0; page < 12; page++) {
  const response = await client.fetch(`http://127.0.0.1:${server.address().port}/${page}`);
  await response.text();
  statuses.push(response.status);
}
console.log(statuses.join(" "));

await client.stop();
server.close();
server.closeAllConnections();
