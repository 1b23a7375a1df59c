import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { apiEntries } from "./api.ts";
import { buildSite } from "./build-site.ts";
import { type Environment, HELP, parseOptions } from "./options.ts";
import { SECTIONS } from "./sections.ts";
import { serveSite } from "./serve.ts";

Object.assign(process.env, { ASTRO_TELEMETRY_DISABLED: "1" });
const app = join(import.meta.dirname, "..");
const options = parseOptions(process.argv.slice(2), process.env as Environment);

if (options === "help") process.stdout.write(HELP);
else if (typeof options === "string") {
  process.stderr.write(`${options}\nSee --help.\n`);
  process.exitCode = 2;
} else {
  const out = options.out === undefined ? join(app, "dist") : resolve(options.out);
  try {
    if (options.serve) {
      const { url } = await serveSite(out, options.base, options.port);
      process.stdout.write(`site ${url}\n`);
    } else await build(out, options);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function build(out: string, { url, base, repository }: Exclude<typeof options, string>): Promise<void> {
  const start = performance.now();
  const report = (line: string): boolean => process.stdout.write(`${line}\n`);
  // Astro finds its packages from there; of its own, so that builds can run side by side.
  const folder = join(app, ".site", String(process.pid));
  try {
    await buildSite({
      root: repositoryRoot,
      sections: SECTIONS,
      api: apiEntries(),
      folder,
      out,
      url,
      base,
      repository,
      report,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  report(`built ${out} in ${Math.round((performance.now() - start) / 1000)} s`);
}
