import { type BigIntStats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../exit-code.ts";

/** A file that a run uses. */
export interface UsedFile {
  /** What it is to the user, such as `--success`. */
  readonly what: string;
  /** As it was given, or derived. */
  readonly path: string;
}

/** A stream of this process, which may lead to a file. */
export interface UsedStream {
  readonly what: string;
  readonly fd: number;
}

/**
 * Makes sure that no file is used for two things, whatever its names: relative paths, links, other cases of letters.
 * Opens and changes none.
 * @throws UsageError
 */
export function checkDistinct(files: readonly UsedFile[], streams: readonly UsedStream[]): void {
  const taken = new Map<string, string>();
  for (const { what, path } of files) {
    const keys = keysOf(path);
    for (const key of keys) refuse(taken.get(key), what, path);
    for (const key of keys) taken.set(key, what);
  }
  for (const { what, fd } of streams) {
    const key = keyOfStream(fd);
    if (key !== undefined) refuse(taken.get(key), what, "");
  }
}

function refuse(other: string | undefined, what: string, path: string): void {
  if (other === undefined) return;
  throw new UsageError(`${path === "" ? what : `${what} ${path}`} is ${other} as well; give files of their own`);
}

/**
 * The path that a file has, or would have once it is made: links are followed, also one that leads nowhere yet.
 */
export function finalPath(path: string): string {
  let at = resolve(path);
  // As many as Linux follows.
  for (let links = 0; links < 40; links++) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    const folder = orUndefined(() => realpathSync(dirname(at)));
    if (folder !== undefined) at = join(folder, basename(at));
    if (!found?.isSymbolicLink()) return at;
    at = resolve(dirname(at), readlinkSync(at));
  }
  return at;
}

/** By what a file is known: its folder and name, and what it is on the disk. */
function keysOf(path: string): string[] {
  const final = orUndefined(() => finalPath(path)) ?? resolve(path);
  const folder = orUndefined(() => statSync(dirname(final), { bigint: true }));
  const file = orUndefined(() => statSync(final, { bigint: true }));
  // Some file systems take names for the same that differ in case, or in how letters with accents are made up.
  const name = basename(final).normalize("NFC").toLowerCase();
  return [`${folder ? idOf(folder) : dirname(final)}/${name}`, ...(file ? [idOf(file)] : [])];
}

/** Undefined for a terminal, a pipe, and a stream that is closed. */
function keyOfStream(fd: number): string | undefined {
  const found = orUndefined(() => fstatSync(fd, { bigint: true }));
  return found?.isFile() ? idOf(found) : undefined;
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** What cannot be looked at is told of when it is opened. */
function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
