import { once } from "node:events";
import { createServer } from "node:http";
import { createConcurrencyLimit } from "@dt/adaptive";
import { createServerLimit } from "@dt/http/server";

const limit = createServerLimit({
  policies: [{ name: "per-client", rate: "3/2s", key: ({ address }) => address }],
  limit: createConcurrencyLimit(), // what the server can work on at once, found out
});
const server = createServer(limit.node((_, response) => response.end("hello"))).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;

for (let page = 0; page < 4; page++) {
  const { status, headers } = await fetch(`${url}/${page}`);
  console.log(status, headers.get("ratelimit"), headers.get("retry-after"));
}
await new Promise((resolve) => setTimeout(resolve, 2_000)); // as Retry-After says
console.log((await fetch(url)).status);

server.close();
server.closeAllConnections();
