/**
 * Characters that a terminal obeys or that change how others are shown, in place of showing them: control characters
 * (ESC, BEL, C1), format characters (bidi), separators of lines and halves of characters.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text as it may be shown: names, errors and whatever else comes from a store, a server or a file may hold anything.
 * Ends of lines stay; other characters that a terminal would obey are escaped as in JSON, so that JSON stays the same.
 */
export function shown(text: string): string {
  return text.replaceAll(OBEYED, (character) => (character === "\n" ? character : escaped(character)));
}

/** Writes a text to standard output. Every text of a command goes this way, or by {@link printJson} or {@link warn}. */
export function print(text: string): void {
  process.stdout.write(shown(text));
}

/** Writes a value as one line of JSON to standard output. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Writes a text to standard error. */
export function warn(text: string): void {
  process.stderr.write(shown(text));
}

/**
 * From now on it is no error that no one reads the standard output any more, as in `dt status ... | head`: an error of
 * writing comes later than the write, and perhaps after the command has ended.
 */
export function mayLoseReader(): void {
  if (!process.stdout.listeners("error").includes(onOutputError)) process.stdout.on("error", onOutputError);
}

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** True where what was written can be written over: on a terminal, unless it says that it is dumb (`TERM`). */
export function canRedraw(stream: NodeJS.WriteStream): boolean {
  const { TERM } = process.env;
  return stream.isTTY === true && TERM !== "dumb";
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
