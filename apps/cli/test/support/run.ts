import { onTestFinished, vi } from "vitest";
import { runCli } from "../../src/cli.ts";

/** Runs the command line in this process: for what ends before anything is started. */
export async function run(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  const exitCode = process.exitCode;
  onTestFinished(() => {
    process.exitCode = exitCode;
  });
  try {
    process.exitCode = undefined;
    await runCli(args, { entry: "/no/such/entry" });
    return { code: process.exitCode ?? 0, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = exitCode;
  }
}
