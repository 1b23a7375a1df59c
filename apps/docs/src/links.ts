import { posix } from "node:path";
import type { Page } from "./sections.ts";

/** Where the links of a page lead on the site. */
export interface Links {
  /** The pages of the site, by file. */
  readonly pages: ReadonlyMap<string, Page>;
  /** The drawings that can be a part of a page: SVG by file. */
  readonly drawings: ReadonlyMap<string, string>;
  /** What is before every address on the site, without a slash at its end; "" at the root of a host. */
  readonly base: string;
  /** Where a file of the repository can be read; undefined where that is not known. */
  readonly repository: string | undefined;
  /** Whether the repository has this file or folder. */
  exists(file: string): boolean;
}

/**
 * Where a link of a page leads on the site; undefined where the site has nothing there.
 *
 * @param figures gets the picture that it leads to, if it does
 * @throws Error when the repository has nothing there either, naming the page and the link
 */
export function addressOf(page: Page, url: string, links: Links, figures: string[]): string | undefined {
  // Another host, a scheme, or a part of the same page.
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/|#|$)/i.test(url)) return url;
  const [path = "", ...anchors] = url.split("#");
  const hash = anchors.length === 0 ? "" : `#${anchors.join("#")}`;
  const file = fileOf(page, path);
  const to = links.pages.get(file) ?? links.pages.get(posix.join(file, "README.md"));
  if (to !== undefined) return to.slug === "" ? `${links.base}/${hash}` : `${links.base}/${to.slug}/${hash}`;
  if (file.startsWith("../") || !links.exists(file))
    throw new Error(`${page.file} links to ${url}, but there is no ${file} in the repository; correct the link`);
  if (/\.(?:svg|png)$/.test(file)) {
    figures.push(file);
    return `${links.base}/figures/${posix.basename(file)}`;
  }
  return links.repository === undefined ? undefined : `${links.repository}/${file}${hash}`;
}

function fileOf(page: Page, path: string): string {
  const [plain = ""] = path.split("?");
  const file = decodeURI(plain);
  // As a code host has it: the root of the repository.
  const joined = file.startsWith("/") ? file.slice(1) : posix.join(posix.dirname(page.file), file);
  return posix.normalize(joined).replace(/\/$/, "");
}
