const { once } = require("node:events");
const { createServer } = require("node:http");
const { createConcurrencyLimit } = require("@dt/adaptive");
const { createServerLimit } = require("@dt/http/server");

async function main() {
  const limit = createServerLimit({
    policies: [{ name: "per-client", rate: "3/2s", key: ({ address }) => address }],
    limit: createConcurrencyLimit(),
  });
  const server = createServer(limit.node((_, response) => response.end("hello"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;

  const statuses = [];
  for (let page = 0; page < 4; page++) statuses.push((await fetch(`${url}/${page}`)).status);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  statuses.push((await fetch(url)).status);
  if (statuses.join(" ") !== "200 200 200 429 200") throw new Error(statuses.join(" "));

  server.close();
  server.closeAllConnections();
}

main();
