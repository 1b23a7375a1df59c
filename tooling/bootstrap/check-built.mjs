/**
 * Runs before a package is packed (`prepack`), in the package's folder: refuses while a file that `exports` or `bin` names is missing, since npm would
 * make the tarball without it and without a word. Plain JavaScript, so that it runs under every Node that can pack.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.cwd();
const { name, exports, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const missing = filesIn({ exports, bin }).filter((file) => !existsSync(join(folder, file)));
if (missing.length > 0) {
  process.stderr.write(
    `${name} is not built: ${missing.join(", ")} missing; run "pnpm build" in the repository first\n`,
  );
  process.exitCode = 1;
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function filesIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(filesIn) : [];
}
