/** Draws the figures of docs/how-it-works.md anew, from the code as it is. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { figures } from "./figures.ts";

const docs = join(import.meta.dirname, "../../../../docs");

for (const [name, picture] of Object.entries(await figures())) {
  writeFileSync(join(docs, name), picture);
  process.stderr.write(`wrote docs/${name}\n`);
}
