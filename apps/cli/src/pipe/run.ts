import { once } from "node:events";
import { connect } from "node:net";
import { constants } from "node:os";
import { isDtError } from "@dt/core";
import { type Checkpoint, openCheckpoint } from "@dt/pipeline";
import { UsageError } from "../exit-code.ts";
import { print, printJson, warn } from "../terminal.ts";
import { finalPath } from "./distinct-files.ts";
import { type Limits, openLimits } from "./limits.ts";
import { lockFiles } from "./lock.ts";
import { send } from "./send.ts";
import { checkpointFile, type PipeSettings } from "./settings.ts";
import { type ByteSource, openSource } from "./source.ts";
import { exitCodeOf, textOf } from "./summary.ts";

/** After a crash, so many records that had ended may be sent again, beside those that were under way. */
const WINDOW = 1_000;

/**
 * Runs `dt pipe`; resolves to its exit code.
 * @throws UsageError when it cannot be done as asked, or could not begin: nothing was sent
 */
export async function runPipe(settings: PipeSettings): Promise<number> {
  const { input, outputs, requests, timeoutMs, json } = settings;
  const source = await openSource(input);
  const progress = checkpointFile(settings, source);
  const written = [...Object.values(outputs), ...(progress === undefined ? [] : [progress])];
  // Of where links lead to: two processes may know a file by two names.
  const unlock = lockFiles(written.map((file) => `${finalPath(file)}.lock`));
  const stopping = stopOnSignals((signal) =>
    warn(`\n${signal}: the calls under way end first; once more ends at once\n`),
  );
  // Nobody may read any more what is said (`| head`): the records are sent all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  try {
    const checkpoint = await checkpointOf(settings, source);
    await checkReachable(requests.origin, timeoutMs);
    const limits = await limitsOf(settings);
    try {
      const summary = await send(settings, source, checkpoint, limits, stopping.signal);
      if (json) printJson(summary);
      else print(textOf(summary));
      return exitCodeOf(summary, stopping.exitCode);
    } finally {
      await limits.close();
    }
  } finally {
    stopping.end();
    unlock();
  }
}

async function checkpointOf(settings: PipeSettings, source: ByteSource): Promise<Checkpoint | undefined> {
  const { input, reading } = settings;
  const path = checkpointFile(settings, source);
  if (path === undefined) return undefined;
  const { part, of } = reading.part;
  const identity = input !== undefined && source.seekable ? { file: input } : source.name;
  try {
    return await openCheckpoint({ path, input: identity, part: `${part}/${of}`, window: WINDOW });
  } catch (error) {
    throw isDtError(error) ? new UsageError(error.message) : error;
  }
}

async function limitsOf({ limits }: PipeSettings): Promise<Limits> {
  try {
    return await openLimits(limits);
  } catch (error) {
    if (isDtError(error, "DT_INVALID_OPTION")) throw new UsageError(error.message);
    throw isDtError(error) ? new UsageError(`the --store: ${error.message}`) : error;
  }
}

/**
 * Makes sure that somebody listens where the records are sent to: with a slip in the address a million of them would
 * end as errors.
 * @throws UsageError
 */
async function checkReachable({ protocol, hostname, port, host }: URL, timeoutMs: number): Promise<void> {
  const standard = protocol === "https:" ? 443 : 80;
  // A URL has brackets around IPv6 addresses, a socket does not.
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? standard : Number(port) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const { name, message } = error as Error;
    const why =
      name === "AbortError" ? `no connection within ${timeoutMs} ms` : message || (error as { code?: string }).code;
    throw new UsageError(`${host} cannot be reached, nothing was sent: ${why}`);
  } finally {
    socket.destroy();
  }
}

/** How a signal ends a run, and with which exit code. */
interface Stopping {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** 128 and the number of the first signal, as shells have it; undefined while there was none. */
  readonly exitCode: number | undefined;
  /** Signals mean again what they mean without us. */
  end(): void;
}

/** One Ctrl-C may arrive twice: from the terminal, and again from whoever started us and passes on what it receives. */
const SAME_KEY_PRESS_MS = 300;

/**
 * The first signal lets the run end what it began, the second ends the process at once.
 * @param told hears of the first
 */
function stopOnSignals(told: (signal: NodeJS.Signals) => void): Stopping {
  const controller = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let exitCode: number | undefined;
  let firstMs = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode === undefined) {
      exitCode = 128 + constants.signals[signal];
      firstMs = performance.now();
      told(signal);
      controller.abort(new DOMException(`stopped by ${signal}`, "AbortError"));
    } else if (performance.now() - firstMs > SAME_KEY_PRESS_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
