import { existsSync } from "node:fs";
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Links } from "./links.ts";
import type { Page } from "./sections.ts";
import { type SitePage, sitePage } from "./site-page.ts";

/** A page that was written. */
export type WrittenPage = Pick<SitePage, "title" | "description"> & Pick<Page, "slug">;

/** What pages are made of, and for where. */
export interface Sources extends Pick<Links, "base" | "repository"> {
  readonly pages: readonly Page[];
  /** The folder that the files of pages are relative to. */
  readonly root: string;
}

/**
 * Writes every page as Starlight reads it, and copies the pictures that pages show.
 *
 * @param folder of the site's sources, without an earlier build's
 */
export async function writePages({ pages, root, ...to }: Sources, folder: string): Promise<WrittenPage[]> {
  const links: Links = {
    ...to,
    pages: new Map(pages.map((page) => [page.file, page])),
    drawings: await drawingsBelow(root),
    exists: (file) => existsSync(join(root, file)),
  };
  const figures = join(folder, "public/figures");
  await mkdir(figures, { recursive: true });
  const written: WrittenPage[] = [];
  for (const page of pages) {
    const made = sitePage(page, await readFile(join(root, page.file), "utf8"), links);
    const file = join(folder, "src/content/docs", `${page.slug === "" ? "index" : page.slug}.md`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, made.text);
    for (const figure of made.figures) await cp(join(root, figure), join(figures, basename(figure)));
    written.push({ slug: page.slug, title: made.title, description: made.description });
  }
  return written;
}

async function drawingsBelow(root: string): Promise<Map<string, string>> {
  const drawings = new Map<string, string>();
  for await (const file of glob("{docs/**,packages/*}/*.svg", { cwd: root }))
    drawings.set(file.replaceAll("\\", "/"), await readFile(join(root, file), "utf8"));
  return drawings;
}
