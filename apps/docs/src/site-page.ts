import { posix } from "node:path";
import type { Definition, Html, Image, Link, Nodes } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import type { Page } from "./sections.ts";

/** Where the links of a page lead on the site. */
export interface Links {
  /** The pages of the site, by file. */
  readonly pages: ReadonlyMap<string, Page>;
  /** What is before every address on the site, without a slash at its end; "" at the root of a host. */
  readonly base: string;
  /** Where a file of the repository can be read; undefined where that is not known. */
  readonly repository: string | undefined;
}

/** A file of the repository as a page of the site. */
export interface SitePage {
  /** Markdown with front matter: title and description. */
  readonly text: string;
  /** Pictures that the page shows, relative to the repository's root. */
  readonly figures: readonly string[];
}

const parser = unified().use(remarkParse).use(remarkGfm);

/**
 * Makes a page of a Markdown file: its first heading becomes the title, its first paragraph the description, and its
 * links lead to pages of the site.
 *
 * @throws Error when the file does not begin with a heading, naming it
 */
export function sitePage(page: Page, markdown: string, links: Links): SitePage {
  const tree = parser.parse(markdown);
  const [heading] = tree.children;
  if (heading?.type !== "heading" || heading.depth !== 1)
    throw new Error(`${page.file} does not begin with a heading ("# ..."); begin it with its title`);
  const first = tree.children.find(({ type }) => type === "paragraph");
  const figures: string[] = [];
  const edits: Edit[] = [];
  visit(tree, (node) => {
    if (node.type === "link" || node.type === "image" || node.type === "definition")
      edits.push(editOf(node, markdown, (url) => addressOf(page, url, links, figures)));
    else if (node.type === "html") edits.push(editOfHtml(node, page, links, figures));
  });
  const body = edited(markdown.slice(heading.position?.end.offset), edits, heading.position?.end.offset ?? 0);
  const matter = { title: plain(heading), description: first === undefined ? "" : plain(first), editUrl: false };
  const lines = Object.entries(matter).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return { text: `---\n${lines.join("\n")}\n---\n${body}`, figures };
}

/** A part of a text, from and to offsets, and what takes its place. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The address is the last one in what stands in the text: a link's words can hold a picture. */
function editOf(node: Link | Image | Definition, markdown: string, address: (url: string) => string | undefined): Edit {
  const [from, to] = placeOf(node);
  const source = markdown.slice(from, to);
  const url = address(node.url);
  if (url === undefined) {
    const [inFrom, inTo] = "children" in node ? extentOf(node.children) : [from, to];
    return { from, to, text: markdown.slice(inFrom, inTo) };
  }
  const at = source.lastIndexOf(node.url);
  // Words of the link may hold further nodes with edits of their own, so only the address is replaced.
  return at < 0 ? { from: to, to, text: "" } : { from: from + at, to: from + at + node.url.length, text: url };
}

/** `src`, `srcset` and `href` of raw HTML. */
function editOfHtml(node: Html, page: Page, links: Links, figures: string[]): Edit {
  const [from, to] = placeOf(node);
  const text = node.value.replace(
    /\b(src|srcset|href)="([^"]*)"/g,
    (_all, name: string, url: string) => `${name}="${addressOf(page, url, links, figures) ?? "#"}"`,
  );
  return { from, to, text };
}

/** Where a link of a page leads on the site; undefined where the site has nothing there. */
function addressOf(page: Page, url: string, links: Links, figures: string[]): string | undefined {
  if (/^[a-z]+:/i.test(url) || url.startsWith("#")) return url;
  const [path = "", anchor] = url.split("#");
  const file = posix.normalize(posix.join(posix.dirname(page.file), path));
  const to = links.pages.get(file) ?? links.pages.get(posix.join(file, "README.md"));
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (to !== undefined) return `${links.base}/${to.slug}/${hash}`;
  if (/\.(svg|png)$/.test(file)) {
    figures.push(file);
    return `${links.base}/figures/${posix.basename(file)}`;
  }
  return links.repository === undefined ? undefined : `${links.repository}/${file}${hash}`;
}

function edited(body: string, edits: readonly Edit[], offset: number): string {
  let [text, at] = ["", 0];
  for (const { from, to, text: instead } of edits.toSorted((one, other) => one.from - other.from)) {
    if (from < offset + at) continue;
    text += body.slice(at, from - offset) + instead;
    at = to - offset;
  }
  return text + body.slice(at);
}

function visit(node: Nodes, use: (node: Nodes) => void): void {
  use(node);
  if ("children" in node) for (const child of node.children) visit(child, use);
}

function plain(node: Nodes): string {
  if ("value" in node) return node.type === "html" ? "" : node.value.replace(/\s+/g, " ");
  return "children" in node ? node.children.map(plain).join("") : "";
}

function extentOf(nodes: readonly Nodes[]): [number, number] {
  const [first, last] = [nodes.at(0), nodes.at(-1)];
  return first === undefined || last === undefined ? [0, 0] : [placeOf(first)[0], placeOf(last)[1]];
}

function placeOf({ position }: Nodes): [number, number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}
