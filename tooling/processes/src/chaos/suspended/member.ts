/** A member's process: makes a call for every token that it can get. */
import { Agent, request } from "node:http";
import { setTimeout as pass } from "node:timers/promises";
import type { MemberConfig } from "./member-process.ts";

const { redis, calls, name, max, untold } = JSON.parse(process.argv[2] as string) as MemberConfig;
// Before anything of @dt looks at it.
if (untold) Object.defineProperty(process, "platform", { value: "unknown" });
const { createThrottle } = await import("@dt/core");
const { redisStore } = await import("@dt/redis");

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const call = (): void => {
  const sent = request({ host: "127.0.0.1", port: calls, path: `/${name}`, agent }, (response) => response.resume());
  sent.on("error", () => undefined);
  sent.end();
};
const throttle = createThrottle({ name: "suspended", max, store: redisStore({ url: redis }) });
await throttle.start();
process.send?.("joined");
for (;;) {
  await throttle.acquire().then(call, () => pass(20));
}
