import { isDtError } from "@dt/core";
import { type Checkpoint, openCheckpoint } from "@dt/pipeline";
import { UsageError } from "../exit-code.ts";
import { print, printJson, warn } from "../terminal.ts";
import { finalPath } from "./distinct-files.ts";
import { stopOnSignals } from "./interruption.ts";
import { type Limits, openLimits } from "./limits.ts";
import { lockFiles } from "./lock.ts";
import { checkReachable } from "./reachable.ts";
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
