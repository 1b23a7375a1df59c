/** `npm run -s semaphore`: figures beside the prototype, or with `search` random schedules of faults. */

import { figures } from "./figures/figures.ts";
import { HELP as FIGURES_HELP } from "./figures/options.ts";
import { HELP as SEARCH_HELP } from "./search/options.ts";
import { search } from "./search/search.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(text);

// A reader that has seen enough, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const [first, ...rest] = process.argv.slice(2);
const isSearch = first === "search";
try {
  process.exitCode = isSearch ? await search(rest, print, say) : await figures(process.argv.slice(2), print, say);
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  say(`${error.message}\n\n${isSearch ? SEARCH_HELP : FIGURES_HELP}`);
  process.exitCode = 2;
}
