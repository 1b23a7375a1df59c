import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loader } from "@dt-tooling/backends/source-process";
import { afterAll, expect, it } from "vitest";
import { sqliteStore } from "../src/index.ts";

const page = readFileSync(new URL("../../../docs/guides/shutdown.md", import.meta.url), "utf8");
const [, worker = ""] = /<!-- example: worker -->\n```js\n(.*?)```/s.exec(page) ?? [];
const folder = mkdtempSync(join(tmpdir(), "dt-shutdown-"));
const script = join(folder, "worker.mjs");
writeFileSync(script, worker);
afterAll(() => rmSync(folder, { recursive: true }));

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs a program in the folder; `onLine` is told each line that it prints, and may send a signal. */
async function run(
  file: string,
  onLine: (line: string, send: (signal: NodeJS.Signals) => void, count: number) => void,
): Promise<End> {
  const child = spawn(process.execPath, ["--import", loader, file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    onLine(line, (signal) => child.kill(signal), lines.length);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines, errors };
}

/** Who is in a group of the file, once the program is over. */
async function membersOf(group: string): Promise<number> {
  const store = sqliteStore({ path: join(folder, "limits.db") });
  const { members } = await store.inspect(group);
  await store.close();
  return members.length;
}

it.each([
  ["SIGINT", 1],
  ["SIGINT", 4],
  ["SIGTERM", 2],
] as const)(
  "the page's worker ends in order at %s, after %i lines: no stack trace, exit code 0, out of its group",
  {
    timeout: 60_000,
  },
  async (signal, after) => {
    const end = await run(script, (_, send, count) => {
      if (count === after) send(signal);
    });
    expect(end.errors).toBe("");
    expect(end).toMatchObject({ code: 0, signal: null });
    expect(end.lines.at(-1)).toBe("left the group");
    expect(await membersOf("payments")).toBe(0);
  },
);

it("a second Ctrl-C ends it at once, while it waits for what never ends", async () => {
  const stuck = join(folder, "stuck.mjs");
  // A wrapped call that hangs, which drain waits for.
  const hangs = "throttle.wrap(() => new Promise(() => setInterval(() => {}, 1e6)))();\n";
  writeFileSync(
    stuck,
    worker.replace("  for await", `  ${hangs}  for await`).replaceAll("throttle.drain(", "told(throttle).drain("),
  );
  writeFileSync(stuck, `${readFileSync(stuck, "utf8")}\nfunction told(it) { console.log("draining"); return it; }\n`);
  const end = await run(stuck, (line, send, count) => {
    if (count === 1 || line === "draining") send("SIGINT");
  });
  expect(end.signal).toBe("SIGINT");
  expect(end.errors).toBe("");
});

it("a program that forgets to stop has left its group when it is over, and is warned", {
  timeout: 60_000,
}, async () => {
  const forgetful = join(folder, "forgetful.mjs");
  writeFileSync(
    forgetful,
    `import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";
const throttle = createThrottle({ name: "forgetful", max: 5, store: sqliteStore({ path: "limits.db" }) });
await throttle.start();
await throttle.acquire();
`,
  );
  const end = await run(forgetful, () => undefined);
  expect(end.code).toBe(0);
  expect(end.errors).toMatch(/\[DT_NOT_STOPPED\] DtWarning: Limiters that were never stopped: "forgetful"\./);
  expect(await membersOf("forgetful")).toBe(0);
});
