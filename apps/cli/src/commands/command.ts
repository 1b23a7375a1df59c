import type { Command } from "commander";

/** What a command may need to know of the program it belongs to. */
export interface CommandContext {
  /** The file that Node was started with: what a command runs again for processes of its own. */
  readonly entry: string;
}

/** One file of this folder: a command to add to the program. */
export interface CommandDefinition {
  /** Left out of the help: for the program's own processes. */
  readonly hidden?: boolean;
  define(context: CommandContext): Command;
}
