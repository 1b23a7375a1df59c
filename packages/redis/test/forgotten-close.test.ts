import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";

it("a program that stopped its throttle and forgot to close the store, which keeps it running, is warned", {
  timeout: 60_000,
}, async () => {
  const server = await startRedis();
  const folder = mkdtempSync(join(tmpdir(), "dt-forgotten-"));
  try {
    const script = join(folder, "program.mjs");
    writeFileSync(
      script,
      `import { createThrottle } from "@dt/core";
import { redisStore } from "@dt/redis";
const throttle = createThrottle({ name: "g", max: 5, store: redisStore({ url: ${JSON.stringify(server.url)} }) });
await throttle.start();
await throttle.stop();
`,
    );
    const child = spawn(process.execPath, ["--import", loader, script], { stdio: ["ignore", "inherit", "pipe"] });
    let errors = "";
    for await (const chunk of child.stderr) {
      errors += chunk;
      if (errors.includes("close()")) break;
    }
    expect(errors).toMatch(/\[DT_NOT_CLOSED\] DtWarning: Every limiter was stopped/);
    expect(child.exitCode, "it would have gone on for ever").toBeNull();
    child.kill("SIGKILL");
    await once(child, "exit");
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
