/**
 * The callee, in a process of its own: takes its time for each call, and counts the calls in flight. Reports its
 * address, and its books when it has received the stretch that counts. `node callee.ts <holdMs>`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Random } from "@dt-tooling/simulator/random";
import { hear, localMs, tell } from "../processes/child-side.ts";
import type { CalleeBooks, Stretch } from "./plan.ts";

const holdMs = Number(process.argv[2]);
const random = new Random(1, "holds");
/** Each change of the number of calls in flight: when, and to what. */
const changes: { readonly atMs: number; readonly inFlight: number; readonly began: boolean }[] = [];
let inFlight = 0;
const change = (by: 1 | -1): void => {
  inFlight += by;
  changes.push({ atMs: performance.now(), inFlight, began: by === 1 });
};

const server = createServer((_request, response) => {
  change(1);
  response.on("close", () => change(-1));
  setTimeout(() => response.end("ok"), holdMs * (0.8 + 0.4 * random.next()));
});
// Never closes a connection that nothing comes over for a while: a call may be on its way there.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => tell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

const stretch = await hear<Stretch>();
const [fromMs, toMs] = [localMs(stretch.fromMs), localMs(stretch.toMs)];
let [area, lastMs, last, most, calls] = [0, fromMs, 0, 0, 0];
for (const { atMs, inFlight: now, began } of changes) {
  if (atMs < toMs) most = Math.max(most, now);
  const untilMs = Math.min(toMs, Math.max(fromMs, atMs));
  area += last * (untilMs - lastMs);
  [lastMs, last] = [untilMs, now];
  if (began && atMs >= fromMs && atMs < toMs) calls += 1;
}
area += last * (toMs - lastMs);
const books: CalleeBooks = { calls, most, average: area / (toMs - fromMs) };
tell(books);
