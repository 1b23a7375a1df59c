/**
 * Starts throttles on every kind of source, waits for a line, and closes nothing. Arguments: DNS server, API server,
 * service account folder, file.
 */
import { createThrottle } from "@dt/core";
import { dnsSource, fileSource, kubernetesSource, podCountStore } from "@dt/pod-count";

const [server = "", url = "", serviceAccount = "", path = ""] = process.argv.slice(2);
const sources = [
  dnsSource({ name: "web.test", servers: [server], self: "10.0.0.1" }),
  kubernetesSource({ service: "web", url, serviceAccount, self: "web-a" }),
  fileSource({ path }),
];
for (const source of sources) {
  const throttle = createThrottle({ name: "g", max: 10, store: podCountStore({ source }) });
  await throttle.start();
}
process.stdin.once("data", () => process.stdin.destroy());
