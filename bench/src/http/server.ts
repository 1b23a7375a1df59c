/**
 * Answers every request at once; those of `/fields` with what is left of two limits. Prints its address, and ends with
 * its parent.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  if (request.url === "/fields") {
    response.setHeader("RateLimit", '"second";r=5000;t=1, "day";r=1000000;t=3600');
    response.setHeader("RateLimit-Policy", '"second";q=10000;w=1, "day";q=2000000;w=86400');
  }
  response.end("ok");
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on("disconnect", () => process.exit());
