import { compare } from "./compare.ts";
import { HELP, parseOptions } from "./options.ts";
import { asText, runTable } from "./table.ts";

/**
 * Measures and compares. Returns the exit code.
 * @param args of the command line
 * @throws TypeError for options that make no sense
 */
export async function figures(
  args: readonly string[],
  print: (text: string) => void,
  say: (line: string) => void,
): Promise<number> {
  const options = parseOptions(args);
  if (options.command === "help") {
    print(HELP);
    return 0;
  }
  const rows = await runTable(options, say);
  const compared = compare(rows);
  print(options.json ? `${JSON.stringify({ rows, compared })}\n` : asText(compared));
  const above = rows.filter(({ peak, max }) => peak > max);
  for (const { load, system, seed, peak, max } of above) say(`${peak} of ${max} in flight: ${load} ${system} ${seed}`);
  return above.length > 0 || compared.some(({ short }) => short.length > 0) ? 1 : 0;
}
