import { access, constants, readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { aptInstall, canAptInstall } from "./apt.ts";

/** A program a server needs, and how to come by it. */
export interface Program {
  readonly command: string;
  /** The Debian package that has it. */
  readonly aptPackage: string;
  /** Folders to look in beside PATH; one `*` stands for any name, the highest version first. */
  readonly folders?: readonly string[];
  /** What to do where it cannot be installed for you. */
  readonly hint: string;
}

async function expand(folder: string): Promise<string[]> {
  const [before, after] = folder.split("*");
  if (before === undefined || after === undefined) return [folder];
  const names = await readdir(before).catch(() => []);
  return names.sort((a, b) => b.localeCompare(a, "en", { numeric: true })).map((name) => before + name + after);
}

/** The path of a program on this machine, or `undefined`. */
export async function findProgram(program: Program): Promise<string | undefined> {
  const { PATH: searchPath } = process.env;
  const onPath = (searchPath ?? "").split(delimiter).filter(Boolean);
  const elsewhere = await Promise.all([...(program.folders ?? []), "/usr/sbin", "/usr/local/sbin"].map(expand));
  for (const folder of [...onPath, ...elsewhere.flat()]) {
    const path = join(folder, program.command);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
}

/**
 * The path of a program, installed first where that is possible (Debian, as root).
 * @throws Error that names the program and says how to install it
 */
export async function requireProgram(program: Program): Promise<string> {
  const found = await findProgram(program);
  if (found !== undefined) return found;
  let cause: unknown;
  if (await canAptInstall()) {
    try {
      await aptInstall(program.aptPackage, program.command);
      const installed = await findProgram(program);
      if (installed !== undefined) return installed;
    } catch (error) {
      cause = error;
    }
  }
  const failure = cause === undefined ? "" : ` (${(cause as Error).message})`;
  throw new Error(`\`${program.command}\` is not on this machine${failure}. ${program.hint}`, { cause });
}
