/**
 * A machine that is suspended, with real processes and a real Redis:
 * `node tooling/processes/src/chaos/suspended/main.ts --times 5`. One member's process stands still for fifteen seconds
 * at a time, and its monotonic clock with it, as on Linux; os.uptime() goes on. Calls are counted by a server of this
 * process, in epochs of Redis's clock, which is this machine's. Needs libfaketime (Debian package faketime). Code 1
 * when an epoch had more calls than `max`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startRedis } from "@dt-tooling/backends";
import { FakedTime, findLibfaketime } from "../fleet/wall-clocks.ts";
import { callsByEpoch, worstOf } from "./calls.ts";
import { startMember } from "./member-process.ts";

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    seconds: { type: "string", default: "15" },
    untold: { type: "boolean", default: false },
  },
});
const [times, sleptMs] = [Number(values.times), Number(values.seconds) * 1_000];
const max = 60;
const library = findLibfaketime();
if (!library) throw new Error("libfaketime is not installed (Debian package faketime)");

const folder = mkdtempSync(join(tmpdir(), "dt-suspended-"));
await using redis = await startRedis({ control: true });
const calls: { readonly atMs: number; readonly member: string }[] = [];
const server = createServer((request, response) => {
  calls.push({ atMs: Date.now(), member: String(request.url).slice(1) });
  response.end();
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

const clock = new FakedTime(library, join(folder, "offset"));
clock.set(0);
const stoppable = { ...clock.environment, FAKETIME_DONT_FAKE_MONOTONIC: "0", FAKETIME_NO_CACHE: "1" };
const member = (name: string, environment: Record<string, string> = {}) =>
  startMember(
    { redis: redis.url, calls: (server.address() as AddressInfo).port, name, max, untold: values.untold },
    environment,
  );
const members = [await member("sleeper", stoppable), await member("b"), await member("c")];
try {
  await pass(8_000);
  for (let time = 1; time <= times; time++) {
    await pass(Math.random() * 1_000);
    members[0]?.kill("SIGSTOP");
    await pass(sleptMs + Math.random() * 1_000);
    clock.set(-sleptMs * time);
    members[0]?.kill("SIGCONT");
    await pass(8_000);
  }
} finally {
  for (const process of members) process.kill("SIGKILL");
  if (members[0]?.pid) FakedTime.tidy(members[0].pid);
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
const epochs = callsByEpoch(calls, 1_000);
const above = epochs.filter((epoch) => worstOf([epoch]) > max);
console.log(
  JSON.stringify({
    suspensions: times,
    calls: calls.length,
    epochs: epochs.length,
    above: above.length,
    worst: worstOf(epochs),
    max,
  }),
);
for (const epoch of above) console.log(JSON.stringify(epoch));
process.exitCode = above.length > 0 ? 1 : 0;
