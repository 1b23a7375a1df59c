/** `npm test`: everything that must hold, or what must hold for the paths given, counted in the last line. */
import { runCommand } from "./run-command.ts";
import { everything } from "./steps/everything.ts";
import { ofPaths } from "./steps/of-paths.ts";

const paths = process.argv.slice(2);
await runCommand((tarballs) => (paths.length === 0 ? everything(tarballs) : ofPaths(paths)));
