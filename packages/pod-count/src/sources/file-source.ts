import { constants, type FSWatcher, watch } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { DtError, type Duration, isDtError } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import type { MemberSource } from "../members/source.ts";
import { GRACE_MS } from "./backoff.ts";
import { Poller } from "./poller.ts";

/** Options of {@link fileSource}. */
export interface FileSourceOptions {
  /** The file: one whole number from 1, and white space. */
  readonly path: string;
  /**
   * Time between two readings; a change that the system reports is read at once.
   * @default 1 s
   */
  readonly pollInterval?: Duration;
  /**
   * The longest time from when the file of one member changes to when all have changed.
   * @default `"90s"`, what the kubelet may take for volumes of ConfigMaps and of the Downward API; `0` for one file
   *   that all members read
   */
  readonly spread?: Duration;
  /**
   * Deadline of a reading.
   * @default 1 s
   */
  readonly timeout?: Duration;
}

const FILE = {
  path: option.name,
  pollInterval: option.duration(10).or("1s"),
  spread: option.duration(0).or("90s"),
  timeout: option.duration(1).or("1s"),
} satisfies TableOf<FileSourceOptions>;

/** The most that is read: a number, and some white space. */
const LONGEST_BYTES = 64;

/**
 * The member count in a file that another program keeps up to date: a volume of the Downward API or a ConfigMap, or a
 * file of your own.
 * @param options the file, and how often it is read
 * @throws DtError `DT_INVALID_OPTION`
 * @example podCountStore({ source: fileSource({ path: "/etc/podinfo/replicas" }) });
 */
export function fileSource(options: FileSourceOptions): MemberSource {
  const { path, pollIntervalMs: pollMs, spreadMs, timeoutMs } = settingsOf(FILE, options, "fileSource options");
  const freshForMs = pollMs + GRACE_MS;
  const name = `file ${path}`;
  return {
    name,
    open(observer) {
      const read = exclusive(() => readMemberCount(path));
      const look = async () => ({
        answer: { members: await read(), freshForMs, lagMs: freshForMs + spreadMs },
        nextMs: pollMs,
      });
      const poller = new Poller({ what: name, timeoutMs, look }, observer);
      const watcher = watchBeside(path, () => poller.lookSoon());
      return () => {
        watcher?.close();
        poller.close();
      };
    },
  };
}

async function readMemberCount(path: string): Promise<number> {
  let text: string;
  try {
    text = await readBeginning(path);
  } catch (error) {
    if (isDtError(error)) throw error;
    throw new DtError(
      "DT_STORE_UNAVAILABLE",
      `file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}); mount it, or correct the path`,
      { cause: error },
    );
  }
  // While it is being written a file may be empty or hold a part of the number; writers should rename a new file into
  // place.
  if (text.length > LONGEST_BYTES || !/^\s*\d+\s*$/.test(text))
    throw new DtError(
      "DT_STORE_REPLY",
      `file ${path} begins with ${JSON.stringify(text.slice(0, 20))}; it must hold one whole number, the number of members`,
    );
  return Number(text);
}

async function readBeginning(path: string): Promise<string> {
  // Without O_NONBLOCK the opening of a FIFO waits for a writer, in a thread that keeps the process from ending.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile())
      throw new DtError(
        "DT_STORE_REPLY",
        `file ${path} is no regular file (a folder, a FIFO or a device); give the path of a file that holds the number of members`,
      );
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LONGEST_BYTES + 1), 0, LONGEST_BYTES + 1, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** While a reading hangs (a dead network drive), later ones wait for it instead of occupying a thread each. */
function exclusive<T>(operation: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= operation().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/** The folder, since volumes are changed by renaming. Only a hint: where it does not work, polling does. */
function watchBeside(path: string, onChange: () => void): FSWatcher | undefined {
  const own = basename(path);
  const changed = (_: string, name: string | null): void => {
    // What begins with two dots is how the kubelet changes a volume; everything else beside the file is not its
    // business.
    if (name === null || name === own || name.startsWith("..")) onChange();
  };
  try {
    return watch(dirname(path), { persistent: false }, changed).on("error", () => undefined);
  } catch {
    return undefined;
  }
}
