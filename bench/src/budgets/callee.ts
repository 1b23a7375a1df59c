/**
 * The callee, in a process of its own. It counts requests and tokens in sliding windows: the prompt as a call begins,
 * the output once the call has ended. Tells its address, and its books when it is told the stretch that counts.
 * `node callee.ts '<quota as JSON>'`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CallLimits } from "@dt-tooling/backends/callee/call-limits";
import { hear, localMs, tell } from "../processes/child-side.ts";
import type { CalleeBooks, Quota, Stretch } from "./plan.ts";

const { requests, tokens, windowMs: intervalMs } = JSON.parse(process.argv[2] ?? "") as Quota;
const limits = new CallLimits({ requests: { count: requests, intervalMs }, tokens: { count: tokens, intervalMs } });
const admitted: { readonly atMs: number; readonly tokens: number }[] = [];
let refused = 0;

const server = createServer((request, response) => {
  const [, prompt, output, holdMs] = (request.url ?? "").split("/").map(Number) as [number, number, number, number];
  const atMs = performance.now();
  const call = limits.enter(prompt, atMs);
  if (!call.admitted) {
    refused += 1;
    response.writeHead(429).end();
    return;
  }
  admitted.push({ atMs, tokens: prompt + output });
  setTimeout(() => {
    call.end(output, performance.now());
    response.end("ok");
  }, holdMs);
});
// Never closes a connection that nothing comes over for a while: a call may be on its way there.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => tell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

const stretch = await hear<Stretch>();
const [fromMs, toMs] = [localMs(stretch.fromMs), localMs(stretch.toMs)];
const counted = admitted.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
const books: CalleeBooks = {
  calls: counted.length,
  tokens: counted.reduce((sum, call) => sum + call.tokens, 0),
  refused,
};
tell(books);
