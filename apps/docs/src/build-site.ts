import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "astro";
import type { ApiEntry } from "./api.ts";
import { astroConfig, type Site } from "./config.ts";
import type { Section } from "./sections.ts";
import { writePages } from "./write-pages.ts";

/** What to build. */
export interface SiteOptions extends Pick<Site, "out" | "url" | "base" | "repository"> {
  /** The folder that the files of pages are relative to. */
  readonly root: string;
  readonly sections: readonly Section[];
  readonly api: readonly ApiEntry[];
  /** Where Astro works, below this app: it finds its packages from there. */
  readonly folder: string;
  /** Hears what is being done. */
  report(line: string): void;
}

/**
 * Builds the site: pages, API reference, search index, texts for language models, and a check of every link.
 *
 * @throws Error when a page is no page or a link leads nowhere
 */
export async function buildSite(options: SiteOptions): Promise<void> {
  const { folder, sections, report } = options;
  const sources = join(folder, "src");
  await Promise.all(["src", "public"].map((part) => rm(join(folder, part), { recursive: true, force: true })));
  await mkdir(sources, { recursive: true });
  const pages = await writePages({ ...options, pages: sections.flatMap(({ pages }) => pages) }, folder);
  await cp(join(import.meta.dirname, "content.config.mjs"), join(sources, "content.config.mjs"));
  await cp(join(import.meta.dirname, "look/favicon.svg"), join(folder, "public/favicon.svg"));
  report(`building ${pages.length} pages and the API reference of ${options.api.length} import names`);
  const { out, url, base, repository, api } = options;
  const site: Site = { folder, out, url, base, repository, sections, pages, api };
  Object.assign(process.env, { SITE: JSON.stringify(site) });
  await build(astroConfig(site));
}
