import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "astro";
import type { ApiEntry } from "./api.ts";
import { astroConfig, builtIn, type Site } from "./config.ts";
import type { Section } from "./sections.ts";
import { writePages } from "./write-pages.ts";

/** What to build. */
export interface SiteOptions extends Pick<Site, "url" | "base" | "repository"> {
  /** Where the built site goes; what is there goes away. */
  readonly out: string;
  /** The folder that the files of pages are relative to. */
  readonly root: string;
  readonly sections: readonly Section[];
  readonly api: readonly ApiEntry[];
  /** Where Astro works, below this app: it finds its packages from there. */
  readonly folder: string;
  /** Hears what is being done. */
  report(line: string): void;
}

/** Vite gives these values of its own. With those of the environment, as a test has them, a site has no search. */
const OF_VITE = ["DEV", "PROD", "MODE", "SSR", "BASE_URL"];

const NOT_FOUND = `---
title: There is no such page
description: The address may be of an older version of this site.
template: splash
editUrl: false
pagefind: false
---

Search above, or begin at the overview.
`;

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
  await writeFile(join(sources, "content/docs/404.md"), NOT_FOUND);
  report(`building ${pages.length} pages and the API reference of ${options.api.length} import names`);
  const { out, url, base, repository, api } = options;
  const site: Site = { folder, url, base, repository, sections, pages, api };
  Object.assign(process.env, { SITE: JSON.stringify(site), NODE_ENV: "production" });
  for (const name of OF_VITE) delete process.env[name];
  const before = process.cwd();
  // Astro keeps code that it runs in the working folder; from there the packages of this app must be found.
  process.chdir(folder);
  try {
    await build(astroConfig(site));
  } finally {
    process.chdir(before);
  }
  await cleanTexts(builtIn(folder));
  await rm(out, { recursive: true, force: true });
  await cp(builtIn(folder), out, { recursive: true });
}

/** Takes out of the texts for language models what only a browser reads: drawings, of which the words stay. */
async function cleanTexts(out: string): Promise<void> {
  for await (const file of glob("{*,_llms-txt/*}.txt", { cwd: out })) {
    const path = join(out, file);
    const text = await readFile(path, "utf8");
    const clean = text
      .replace(/<figure class="drawing.*?<figcaption[^>]*>(.*?)<\/figcaption><\/figure>/g, "[Figure: $1]")
      .replace(/<\/?div[^>]*>\n*|<a id="[^"]*"><\/a>\s*/g, "");
    await writeFile(path, clean);
  }
}
