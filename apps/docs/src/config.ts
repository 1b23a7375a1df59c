import { join, relative } from "node:path";
import type { AstroInlineConfig } from "astro";
import type { ApiEntry } from "./api.ts";
import type { Section } from "./sections.ts";
import type { WrittenPage } from "./write-pages.ts";

/** What the site is, and for where. */
export interface Site {
  /** Where Astro works, with the sources and the built site below it. */
  readonly folder: string;
  /** The address of its host, such as `https://example.com`. */
  readonly url: string;
  /** What is before every address on the host, without a slash at its end; "" at the root. */
  readonly base: string;
  readonly repository: string | undefined;
  readonly sections: readonly Section[];
  /** The pages that were written. */
  readonly pages: readonly WrittenPage[];
  readonly api: readonly ApiEntry[];
}

/** Where Astro puts the built site: below its own folder, as all that it writes. */
export function builtIn(folder: string): string {
  return join(folder, "dist");
}

/** How Astro builds the site, but for its integrations: astro.config.mjs has them. */
export function astroConfig({ folder, url, base }: Omit<Site, "api">): AstroInlineConfig {
  return {
    configFile: relative(folder, join(import.meta.dirname, "../astro.config.mjs")),
    logLevel: "warn",
    root: folder,
    outDir: builtIn(folder),
    cacheDir: join(folder, ".cache"),
    site: url,
    base: base === "" ? "/" : base,
    vite: { cacheDir: join(folder, ".vite"), build: { chunkSizeWarningLimit: 2_000 } },
  };
}

/** A group of the sidebar, as Starlight takes it. */
interface SidebarGroup {
  readonly label: string;
  readonly items: (
    | { readonly label: string; readonly link: string }
    | { readonly label: string; readonly slug: string }
  )[];
  readonly collapsed: boolean;
}

/** The sidebar: every group is closed, but the one of the page that is read. */
export function sidebarOf({ sections, api }: Site): SidebarGroup[] {
  const groups = sections.map(({ label, pages }) => ({
    label,
    items: pages.map(({ slug, label }) => (slug === "" ? { link: "/", label } : { slug, label })),
    collapsed: true,
  }));
  const reference = { label: "API", items: api.map(({ name, slug }) => ({ slug, label: name })), collapsed: true };
  return api.length === 0 ? groups : [...groups, reference];
}

/** What language models are given: llms.txt lists the pages, llms-full.txt holds them, the API reference last. */
export function llmsOptions({ pages, url, base }: Site): object {
  return {
    projectName: "@dt",
    description: descriptionOf(pages),
    details: `The pages:\n\n${pages.map((page) => `- ${linkTo(page, `${url}${base}`)}`).join("\n")}`,
    customSets: [
      {
        label: "Pages without the API reference",
        description: "guides, limiters, operation, stores, guarantees",
        paths: ["!api/**"],
      },
      { label: "API reference", description: "every export of every package", paths: ["api/**"] },
    ],
    demote: ["api/**"],
    exclude: ["api/**"],
    // Pages are Markdown: to render them and to read Markdown out of that again takes longer than all else.
    rawContent: true,
  };
}

/** The description of the site: that of its front page. */
export function descriptionOf(pages: readonly WrittenPage[]): string {
  return pages.find(({ slug }) => slug === "")?.description ?? "";
}

function linkTo({ slug, title, description }: WrittenPage, url: string): string {
  const [sentence = ""] = /^.*?[.:!?](?=\s|$)/.exec(description) ?? [description];
  return `[${title}](${url}/${slug === "" ? "" : `${slug}/`}): ${sentence}`;
}
