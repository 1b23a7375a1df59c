import { isDtError } from "@dt/core";
import { Argument, Command } from "commander";
import { runServer } from "../demo/process/server.ts";
import { runWorker } from "../demo/process/worker.ts";
import { EXIT } from "../exit-code.ts";
import { warn } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

const ROLES = { server: runServer, worker: runWorker } as const;

export type DemoRole = keyof typeof ROLES;

export const DEMO_PROCESS = "demo-process";

/** The processes of `dt demo`, which it starts from the same file as itself. */
export const demoProcess: CommandDefinition = {
  hidden: true,
  define: () =>
    new Command(DEMO_PROCESS)
      .addArgument(new Argument("<role>").choices(Object.keys(ROLES)))
      .action(async (role: DemoRole) => {
        try {
          await ROLES[role]();
        } catch (error) {
          // The parent shows what is written here. Exit now: the channel to the parent would keep this process waiting.
          warn(`${isDtError(error) ? error.message : stackOf(error)}\n`);
          process.exit(EXIT.failed);
        }
      }),
};

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
