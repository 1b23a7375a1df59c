/** A server that answers at once, in a process of its own: prints its port, and ends with its parent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((_, response) => response.end("ok"));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on("end", () => process.exit(0));
