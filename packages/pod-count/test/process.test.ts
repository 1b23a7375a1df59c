import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { DnsServer } from "./support/dns-server.ts";
import { KubernetesApi } from "./support/kubernetes-api.ts";

const script = new URL("./processes/leaves-it-open.ts", import.meta.url).pathname;
/** Far below the ten seconds after which a watch ends, and far above what ending takes. */
const PATIENCE_MS = 120_000;

it("watches, polls and timers do not keep a process running", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dt-pod-count-"));
  const dns = await DnsServer.start();
  const api = await KubernetesApi.start();
  try {
    dns.answerA(["10.0.0.1"], 5);
    api.put("web-1", [{ pod: "web-a", addresses: ["10.0.0.1"] }]);
    const { ca } = api.certificate;
    for (const [name, content] of Object.entries({
      token: "first-token",
      "ca.crt": ca,
      namespace: "default",
      replicas: "3",
    }))
      writeFileSync(join(folder, name), content);
    const args = [dns.address, api.url, folder, join(folder, "replicas")];
    const child = spawn(process.execPath, ["--no-warnings", "--import", loader, script, ...args], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    const exit = once(child, "exit");
    while (api.openWatches === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
    child.stdin.write("go\n");
    const overdue = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    expect(await exit).toEqual([0, null]);
    clearTimeout(overdue);
    expect(api.watches).toHaveLength(1);
  } finally {
    await api.stop();
    await dns.stop();
    rmSync(folder, { recursive: true });
  }
});
