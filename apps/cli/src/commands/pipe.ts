import { Command, InvalidArgumentError, Option } from "commander";
import { durationOption, rateOption, wholeNumber } from "../options.ts";
import { parsePart } from "../pipe/part.ts";
import { runPipe } from "../pipe/run.ts";
import { checkFlags, ON_THROTTLED, type PipeFlags } from "../pipe/settings.ts";
import { parseStoreAddress, STORE_FORMS } from "../stores/store-address.ts";
import type { CommandDefinition } from "./command.ts";

const EXIT_CODES = `
Exit codes:
  0    every record succeeded, or was dropped as --on-throttled asks
  3    done, but some are in --throttled or --errors
  1    could not go on (a file, the store); the same command resumes
  2    nothing was sent: it cannot be done as asked, or a file, the store or the service cannot be used
  130  Ctrl-C (143: SIGTERM, 129: SIGHUP); the same command resumes
`;

const EXAMPLES = `
Examples:
  dt pipe --input in.jsonl --url http://localhost:8080/ --store redis://localhost --rate 600/min \\
    --success ok.jsonl --throttled later.jsonl --errors err.jsonl
  dt pipe --input in.jsonl ... --store redis://localhost --fleet-concurrency 50    at most 50 calls in flight
  dt pipe --retry-file later.jsonl ... --throttled later-2.jsonl    what was throttled, once more
  dt pipe --input in.jsonl ... --part 2/4                            the second of four processes
  --body '{"text": {{text}}}' --header 'Idempotency-Key: {{id}}'     fields of the record; {{.}} is all of it
`;

export const pipe: CommandDefinition = {
  define: () =>
    new Command("pipe")
      .summary("send the records of a file to a service, inside a shared limit, and lose none")
      .description(
        "Sends each line of a JSONL file to a service. Each record ends in exactly one of three files: --success, --throttled (the service refused it, or would have) or --errors. Started again with the same options it goes on where it ended, also after a crash. The manual states what may then be sent twice.",
      )
      .option("--input <file>", "JSONL, or - for standard input")
      .option("--retry-file <file>", "dead letters of an earlier run instead: their inputs are sent again")
      .requiredOption("--url <url>", "where to; may hold fields of the record, as in http://host/users/{{user.id}}")
      .option("--method <method>", "of the request", "POST")
      .addOption(
        new Option("--header <line>", "as 'Name: value', fields as in --url; may be given often")
          .argParser((line: string, all: readonly string[]) => [...all, line])
          .default([], "none"),
      )
      .option("--body <text>", "with fields as JSON, as in '{\"text\": {{text}}}' (default: the record itself)")
      .requiredOption("--success <file>", 'JSONL: {"input": ..., "output": ...}')
      .requiredOption("--throttled <file>", 'JSONL: {"input": ..., "error": ...}')
      .requiredOption("--errors <file>", 'JSONL: {"input": ..., "error": ...}')
      .option("--rate <rate>", "calls of all processes together, such as 600/min or 50/s", rateOption)
      .option(
        "--fleet-concurrency <n>",
        "calls of all processes together that are in flight at the same time",
        wholeNumber(1, 10_000),
      )
      .option(
        "--store <address>",
        `where the processes meet that share --rate and --fleet-concurrency: ${STORE_FORMS}`,
        parseStoreAddress,
      )
      .option("--name <name>", "processes with the same store and name share these (default: the host of --url)")
      .option(
        "--concurrency <n>",
        "calls of this process at the same time: a number, or adaptive (default: 16, or as --fleet-concurrency)",
        concurrency,
      )
      .option(
        "--part <i/n>",
        "take only every n-th record; each part writes files of its own: ok.2-of-4.jsonl",
        parsePart,
      )
      .addOption(
        new Option("--on-throttled <what>", "what becomes of a record that is not sent because it would be refused")
          .choices(ON_THROTTLED)
          .default("retry"),
      )
      .option("--no-reject", "send every record, also while the service refuses most of them")
      .option("--key <field>", "records with the same value are sent one after the other, in order")
      .addOption(
        new Option("--timeout <duration>", "a call without an answer has failed")
          .argParser(duration)
          .default(30_000, "30s"),
      )
      .addOption(
        new Option("--store-patience <duration>", "how long the store may fail before the run ends")
          .argParser(duration)
          .default(60_000, "1m"),
      )
      .option("--max-line <bytes>", "a longer line is an error", wholeNumber(1, 2 ** 30), 1024 * 1024)
      .option("--checkpoint <file>", "how far it is (default: beside --throttled, with .checkpoint after its name)")
      .option("--json", "print the summary as one JSON object")
      .addHelpText("after", EXIT_CODES)
      .addHelpText("after", EXAMPLES)
      .action(async (flags: PipeFlags) => {
        process.exitCode = await runPipe(checkFlags(flags));
      }),
};

function concurrency(text: string): number | "adaptive" {
  return text === "adaptive" ? text : wholeNumber(1, 10_000)(text);
}

function duration(text: string): number {
  const ms = durationOption(text);
  if (ms >= 1) return ms;
  throw new InvalidArgumentError("Give a time of at least 1ms.");
}
