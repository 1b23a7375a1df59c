import { parseSync } from "rolldown/utils";

/** Comments that bundlers and licences go by. */
const MEANT_FOR_TOOLS = /^\*?\s*(?:!|[#@]__|@(?:license|preserve|vite-ignore)|webpack)/;

/**
 * TypeScript with spaces in place of its comments, so that everything else stays at its line and column. They are in
 * the declarations and in the sources, which are published as well.
 * @throws Error when it does not parse
 */
export function scriptWithoutComments(file: string, text: string): string {
  const { comments, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  return comments
    .filter(({ value }) => !MEANT_FOR_TOOLS.test(value))
    .reduceRight((rest, { start, end }) => {
      const blank = rest.slice(start, end).replace(/[^\r\n]/g, " ");
      return rest.slice(0, start) + blank + rest.slice(end);
    }, text);
}
