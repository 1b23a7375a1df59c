const { once } = require("node:events");
const { createServer } = require("node:http");
const { createHttpClient } = require("@dt/http");

async function main() {
  // Stands for an API that takes five requests a second, and reports how many are left.
  let left = 5;
  const refill = setInterval(() => (left = 5), 1000);
  const server = createServer((_, response) => {
    left -= 1;
    response.setHeader("RateLimit", `"second";r=${Math.max(0, left)};t=1`);
    response.writeHead(left < 0 ? 429 : 200).end("ok");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;

  const client = createHttpClient();
  client.on("paused", ({ callee, by, forMs }) => console.log(`${callee}: paused for ${forMs} ms by ${by}`));

  const statuses = [];
  for (let page = 0; page < 12; page++) {
    const response = await client.fetch(`${url}/${page}`);
    await response.text();
    statuses.push(response.status);
  }
  console.log(statuses.join(" "));

  await client.stop();
  clearInterval(refill);
  server.close();
}

main();
