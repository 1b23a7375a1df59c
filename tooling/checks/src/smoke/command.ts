import { execFile } from "node:child_process";

export interface CommandOptions {
  readonly cwd: string;
  /** After this the command is killed and counts as failed. */
  readonly timeoutMs: number;
  /** Variables beside the inherited ones. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a command and answers its stdout.
 *
 * @throws Error that carries the command's output, when its exit code is not 0 or its time is up.
 */
export function command(file: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { NODE_PATH: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const env = { ...inherited, ...options.env };
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      { cwd: options.cwd, env, timeout: options.timeoutMs, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${file} ${args.join(" ")}\n${stdout}${stderr}`.trimEnd(), { cause: error }));
      },
    );
  });
}
