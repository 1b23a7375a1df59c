import { parseArgs } from "node:util";

/** The command line cannot be understood. */
export class UsageError extends Error {}

/** What the command line asks for. */
export interface Options {
  readonly json: boolean;
  readonly help: boolean;
  /** Names of targets; empty: all. */
  readonly only: readonly string[];
}

export const HELP = `Runs the conformance suite against every store of this repository, one after the other, on real servers that it starts.
That the suite rejects stores that are broken on purpose is shown by npm run proof.

  npm run -s conformance -- [options]

  --json          print {"targets":[{"name","passed","failed","skipped":[{"case","why"}]}]} on standard output
  --only <name>   only the targets whose name contains this text; may be repeated
  --help          this text, and the names of the targets

Progress and failures go to standard error. Exit code 0: all passed, 1: not, 2: cannot be done as asked, 130: Ctrl-C.
`;

/** @throws UsageError for options that there are not, and names that no target has */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { json, help, only } = parse(args);
  for (const name of only)
    if (!names.some((target) => matches(target, name)))
      throw new UsageError(`--only ${name}: no target has this in its name; there are: ${names.join(", ")}`);
  return { json, help, only };
}

/** Whether a target is chosen by an `--only`. */
export function matches(target: string, only: string): boolean {
  return target.toLowerCase().includes(only.toLowerCase());
}

function parse(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: [] },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message} (--help says what there is)`);
  }
}
