import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { PAGES } from "./sections.ts";
import { type Links, sitePage } from "./site-page.ts";

const app: string = join(import.meta.dirname, "..");

/** Writes every page as Starlight reads it, and copies the pictures that pages show. Both folders are made anew. */
export async function writePages(links: Pick<Links, "base" | "repository">): Promise<void> {
  const content = join(app, "src/content/docs");
  const figures = join(app, "public/figures");
  await Promise.all([content, figures].map((folder) => rm(folder, { recursive: true, force: true })));
  const pages = new Map(PAGES.map((page) => [page.file, page]));
  for (const page of PAGES) {
    const markdown = await readFile(join(repositoryRoot, page.file), "utf8");
    const made = sitePage(page, markdown, { ...links, pages });
    const file = join(content, `${page.slug === "" ? "index" : page.slug}.md`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, made.text);
    await mkdir(figures, { recursive: true });
    for (const figure of made.figures) await cp(join(repositoryRoot, figure), join(figures, basename(figure)));
  }
}
