import { Command } from "commander";
import { pageFiles } from "../console/page-files.ts";
import { servedFiles } from "../console/served-files.ts";
import { startConsole } from "../console/start-console.ts";
import { Interrupted, untilInterrupted } from "../interruption.ts";
import { durationBetween, wholeNumber } from "../options.ts";
import { inStore } from "../stores/in-store.ts";
import { parseStoreAddress, STORE_FORMS, type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import { version } from "../version.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly port?: number;
  readonly write?: boolean;
  readonly period: number;
  readonly json?: boolean;
}

export const console: CommandDefinition = {
  define: () =>
    new Command("console")
      .summary("a web page that shows the fleet of a store, live")
      .description(
        "Serves a web page on 127.0.0.1 that shows the limiters of a store, live: shares of members, who waits, which limit binds, and what happened. Prints the address to open, with a token that is new at each start. Reads only, unless --write is given: then the page can change stored limits. Ends on SIGINT or SIGTERM, with exit code 130 or 143. Exit code 1: the store cannot be read or the port is taken, 2: cannot be done as asked.",
      )
      .argument("<store>", STORE_FORMS, parseStoreAddress)
      .option(
        "--port <n>",
        "0 for any that is free (default: 7373, or the next one that is free)",
        wholeNumber(0, 65_535),
      )
      .option("--write", "let the page change stored limits, as dt limit set does")
      .option(
        "--period <time>",
        "how often the store is read while a page is open",
        durationBetween(200, 60_000),
        1_000,
      )
      .option("--json", "print one JSON object { url, port, store, writes, periodMs }")
      .action((address: StoreAddress, flags: Flags) => serve(address, flags)),
};

async function serve(address: StoreAddress, { port, write = false, period, json = false }: Flags): Promise<void> {
  try {
    await untilInterrupted(async (signal) => {
      const files = servedFiles(await pageFiles());
      await inStore(address, "it could not be read", async (store) => {
        const settings = { writes: write, periodMs: period };
        const running = await startConsole({ address, store, files, port, version: version(), ...settings });
        try {
          const { url } = running;
          if (json) printJson({ url, port: running.port, store: showStoreAddress(address), ...settings });
          else print(textOf(url, address, write));
          await aborted(signal);
        } finally {
          await running.close();
        }
        signal.throwIfAborted();
      });
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = error.exitCode;
  }
}

function textOf(url: string, address: StoreAddress, writes: boolean): string {
  const what = writes ? "It can change stored limits." : "It only reads; with --write it can change stored limits.";
  return `The console of ${showStoreAddress(address)} is at\n\n  ${url}\n\n${what} Ctrl-C ends it.\n`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
