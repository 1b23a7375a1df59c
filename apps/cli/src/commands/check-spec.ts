import { isDtError } from "@dt/core";
import { checkSpec, type SpecReport } from "@dt/numaflow";
import { Command } from "commander";
import { readSpec } from "../check-spec/read-spec.ts";
import { textOf } from "../check-spec/text.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { mayLoseReader, print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** What commander makes of the command line. */
interface Flags {
  readonly vertex?: string;
  readonly json?: boolean;
}

export const checkSpecCommand: CommandDefinition = {
  define: () =>
    new Command("check-spec")
      .summary("what the rate limits of a Numaflow spec become, field by field, and what is wrong with them")
      .description(
        "Checks the rateLimit blocks of a Numaflow spec: Pipeline, Vertex, MonoVertex and ServingPipeline. Prints for each vertex what each field becomes, where it stands, and what differs here. Nothing is opened, and no secret is read. Exit code 0: no problem, 1: problems found, 2: the file cannot be read, or has nothing to check.",
      )
      .argument("<file>", "a YAML file of one or several documents, at most 1 MiB; - is the standard input")
      .option("--vertex <name>", "this vertex alone")
      .option("--json", "print the report as one JSON object")
      .action(async (file: string, { vertex, json = false }: Flags) => {
        const report = check(await readSpec(file), vertex);
        mayLoseReader();
        if (json) printJson(report);
        else print(textOf(report));
        process.exitCode = report.ok ? EXIT.ok : EXIT.failed;
      }),
};

/** @throws UsageError where there is nothing to check */
function check(text: string, vertex: string | undefined): SpecReport {
  try {
    return checkSpec(text, vertex === undefined ? {} : { vertex });
  } catch (error) {
    if (!isDtError(error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
