import { once } from "node:events";
import { createServer } from "node:http";
import { createHttpClient } from "@dt/http";
import { createServerLimit } from "@dt/http/server";

// The server takes five requests a second of each address, and reports that.
const policy = { name: "api", rate: "5/s", key: ({ address }) => address };
const limit = createServerLimit({ policies: [policy] });
const listener = limit.node((_, response) => response.end("ok"));
const server = createServer(listener).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;

// The client obeys what any server reports. client.fetch is fetch.
const client = createHttpClient();
const statuses = [];
for (let page = 0; page < 12; page++) {
  const response = await client.fetch(`${url}/${page}`);
  await response.text();
  statuses.push(response.status);
}
console.log(statuses.join(" "));

await client.stop();
server.close();
server.closeAllConnections();
