import { Command, CommanderError } from "commander";
import type { CommandContext, CommandDefinition } from "./commands/command.ts";
import { commandsFor } from "./commands/index.ts";
import { EXIT, Failure, UsageError } from "./exit-code.ts";
import { print, warn } from "./terminal.ts";
import { version } from "./version.ts";
import { withoutUrlSecrets, withoutValues } from "./without-secrets.ts";

/** Runs the command line; leaves the exit code in `process.exitCode`. */
export async function runCli(args: readonly string[], context: CommandContext): Promise<void> {
  try {
    await createProgram(context, await commandsFor(args[0])).parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof CommanderError) return; // It has printed its message, or the help.
    const text = error instanceof UsageError || error instanceof Failure ? error.message : stackOf(error);
    warn(`error: ${withoutUrlSecrets(text).replaceAll(/\n(?=.)/g, "\n  ")}\n`);
  }
}

function createProgram(context: CommandContext, commands: readonly CommandDefinition[]): Command {
  const program = new Command("dt")
    .description("Distributed throttling: many processes, one limit.")
    .version(version())
    .showHelpAfterError("(dt --help, or dt <command> --help, shows what there is)")
    .configureOutput({
      writeOut: print,
      writeErr: warn,
      outputError: (text, write) => write(withoutValues(text)),
    })
    .exitOverride();
  for (const { define, hidden } of commands) {
    const command = define(context);
    inherit(command, program);
    program.addCommand(command, { hidden: hidden ?? false });
  }
  return program;
}

/** A command, and the commands of it, print and end as the program does. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inherit(child, command);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
