import { parseArgs } from "node:util";

/** What the user asked for. */
export type Command =
  | { readonly type: "list" }
  | {
      readonly type: "run";
      readonly benchmark: string;
      readonly json: boolean;
      readonly save: boolean;
      readonly quick: boolean;
      readonly rounds: number | undefined;
      readonly only: string | undefined;
    };

/** A mistake in the arguments; the message is all that the user needs. */
export class UsageError extends Error {}

/**
 * Reads the arguments.
 * @throws UsageError that names the argument and the remedy
 */
export function parseCommand(
  args: readonly string[],
  known: readonly string[],
  partsOf: (benchmark: string) => readonly string[] = () => [],
): Command {
  const { values, positionals } = parse(args);
  const [benchmark, ...more] = positionals;
  if (values.help || benchmark === undefined) {
    if (Object.keys(values).some((name) => name !== "help"))
      throw new UsageError(`no benchmark is named; there are: ${known.join(", ")}`);
    return { type: "list" };
  }
  if (!known.includes(benchmark))
    throw new UsageError(`there is no benchmark "${benchmark}"; there are: ${known.join(", ")}`);
  if (more.length > 0) throw new UsageError(`run one benchmark at a time, not also "${more.join('", "')}"`);
  const { json = false, save = false, quick = false } = values;
  if (save && quick)
    throw new UsageError("--save keeps figures, and those of --quick mean nothing: give one of the two");
  const only = part(values.only, benchmark, partsOf(benchmark));
  return { type: "run", benchmark, json, save, quick, rounds: rounds(values.rounds), only };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        json: { type: "boolean" },
        save: { type: "boolean" },
        quick: { type: "boolean" },
        rounds: { type: "string" },
        only: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function part(given: string | undefined, benchmark: string, parts: readonly string[]): string | undefined {
  if (given === undefined || parts.includes(given)) return given;
  if (parts.length === 0) throw new UsageError(`${benchmark} has no parts: leave --only out`);
  throw new UsageError(`--only is "${given}"; ${benchmark} has: ${parts.join(", ")}`);
}

function rounds(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(given)) throw new UsageError(`--rounds is "${given}"; give a whole number from 1 to 9999`);
  return Number(given);
}
