import { posix } from "node:path";
import type { Definition, Html, Image, Link, LinkReference, Nodes, Paragraph, Root } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { drawingOf, escaped } from "./drawing.ts";
import { addressOf, type Links } from "./links.ts";
import type { Page } from "./sections.ts";

/** A file of the repository as a page of the site. */
export interface SitePage {
  readonly title: string;
  /** Its first paragraph, as plain text. */
  readonly description: string;
  /** Markdown with front matter: title and description. */
  readonly text: string;
  /** Pictures that the page shows, relative to the repository's root. */
  readonly figures: readonly string[];
}

/** A part of a text, from and to offsets, and what takes its place. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const parser = unified().use(remarkParse).use(remarkGfm);

/**
 * Makes a page of a Markdown file: its first heading becomes the title, its first paragraph the description, and its
 * links lead to pages of the site. Drawings become a part of the page. Comments are left out.
 *
 * @throws Error when the file does not begin with a heading or a link of it leads nowhere, naming both
 */
export function sitePage(page: Page, markdown: string, links: Links): SitePage {
  const tree = parser.parse(markdown);
  const [heading] = tree.children;
  if (heading?.type !== "heading" || heading.depth !== 1)
    throw new Error(`${page.file} does not begin with a heading ("# ..."); begin it with its title`);
  const title = plain(heading).trim();
  const first = tree.children.find((node) => node.type === "paragraph" && plain(node, "").trim() !== "");
  const description = first === undefined ? "" : plain(first, "").trim();
  const figures: string[] = [];
  const address = (url: string): string | undefined => addressOf(page, url, links, figures);
  const front = page.slug === "" && first !== undefined;
  const edits = editsOf(tree, markdown, { page, links, address });
  // The front page shows its first paragraph below its title, in large letters.
  const all = front ? [{ ...extentOf([first]), text: "" }, ...edits.filter(outside(extentOf([first])))] : edits;
  const matter = {
    title,
    description,
    editUrl: false,
    ...(front ? { template: "splash", hero: heroOf(title, description, links) } : {}),
  };
  const lines = Object.entries(matter).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const body = edited(markdown, all, extentOf([heading]).to);
  return { title, description, text: `---\n${lines.join("\n")}\n---\n${body}`, figures };
}

function heroOf(title: string, description: string, { base, pages }: Links): object {
  const slugs = new Set([...pages.values()].map(({ slug }) => slug));
  const action = (text: string, slug: string, variant: string): object => ({
    text,
    link: `${base}/${slug}/`,
    variant,
  });
  return {
    title: escaped(title),
    tagline: escaped(description),
    actions: [
      slugs.has("start") && action("Start", "start", "primary"),
      slugs.has("choose") && action("Choose", "choose", "secondary"),
      slugs.has("how-it-works") && action("How it works", "how-it-works", "minimal"),
    ].filter(Boolean),
  };
}

interface Context {
  readonly page: Page;
  readonly links: Links;
  address(url: string): string | undefined;
}

function editsOf(tree: Root, markdown: string, context: Context): Edit[] {
  const { address } = context;
  const edits: Edit[] = [];
  // References to these have nowhere to lead.
  const gone = new Set<string>();
  visit(tree, (node) => {
    if (node.type === "definition" && address(node.url) === undefined) gone.add(node.identifier);
    return true;
  });
  visit(tree, (node) => {
    if (node.type === "paragraph") {
      const drawing = drawingIn(node, context);
      if (drawing === undefined) return true;
      edits.push({ ...extentOf([node]), text: drawing });
      return false;
    }
    if (node.type === "link") edits.push(...editsOfLink(node, markdown, address(node.url)));
    else if (node.type === "linkReference" && gone.has(node.identifier)) edits.push(...unlinked(node));
    else if (node.type === "imageReference" && gone.has(node.identifier))
      edits.push({ ...extentOf([node]), text: node.alt ?? "" });
    else if (node.type === "image") edits.push(editOfImage(node, markdown, address(node.url)));
    else if (node.type === "definition") edits.push(editOfDefinition(node, markdown, address(node.url)));
    else if (node.type === "html") edits.push(editOfHtml(node, context));
    return true;
  });
  return edits;
}

/** A paragraph that is one drawing, and nothing else, becomes the drawing. */
function drawingIn({ children }: Paragraph, { page, links }: Context): string | undefined {
  const [image, ...others] = children;
  if (image?.type !== "image" || others.length > 0) return undefined;
  const file = posix.join(posix.dirname(page.file), image.url);
  const svg = links.drawings.get(file);
  if (svg === undefined) return undefined;
  if (!image.alt?.trim()) throw new Error(`${page.file} shows ${image.url} without a text; describe the picture`);
  return drawingOf(posix.basename(file, ".svg"), svg, image.alt);
}

/** Only what stands after the words of a link is replaced: the words may hold links to pictures. */
function editsOfLink(node: Link, markdown: string, url: string | undefined): Edit[] {
  const { from, to } = extentOf([node]);
  // <https://example.com> and https://example.com
  if (markdown[from] !== "[") return [];
  if (url === undefined) return unlinked(node);
  const words = node.children.length === 0 ? from + 1 : extentOf(node.children).to;
  return [{ from: words, to, text: `](${destination(url, node.title)})` }];
}

/** The words of a link, without the link. */
function unlinked(node: Link | LinkReference): Edit[] {
  const { from, to } = extentOf([node]);
  if (node.children.length === 0) return [{ from, to, text: "" }];
  const words = extentOf(node.children);
  return [
    { from, to: words.from, text: "" },
    { from: words.to, to, text: "" },
  ];
}

function editOfImage(node: Image, markdown: string, url: string | undefined): Edit {
  const { from, to } = extentOf([node]);
  if (url === undefined) return { from, to, text: node.alt ?? "" };
  const alt = markdown.slice(from, to).lastIndexOf("](");
  return { from: from + alt, to, text: `](${destination(url, node.title)})` };
}

function editOfDefinition(node: Definition, markdown: string, url: string | undefined): Edit {
  const { from, to } = extentOf([node]);
  if (url === undefined) return { from, to, text: "" };
  const label = markdown.slice(from, to).indexOf("]:");
  return { from: from + label, to, text: `]: ${destination(url, node.title)}` };
}

function destination(url: string, title: string | null | undefined): string {
  const address = /[\s()<>]/.test(url) ? `<${url.replace(/[<>]/g, encodeURIComponent)}>` : url;
  return title ? `${address} "${title.replace(/["\\]/g, "\\$&")}"` : address;
}

/** Comments are for those who write pages. A picture for dark and light follows the site's own toggle. */
function editOfHtml(node: Html, { address }: Context): Edit {
  const text = node.value
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<picture>([\s\S]*?)<\/picture>/g, (_all, inner: string) => pictures(inner))
    .replace(/\b(src|srcset|href)="([^"]*)"/g, (_all, name: string, url: string) => {
      const to = address(url);
      return to === undefined ? "" : `${name}="${to}"`;
    });
  return { ...extentOf([node]), text };
}

function pictures(inner: string): string {
  const dark = /<source\b[^>]*prefers-color-scheme:\s*dark[^>]*srcset="([^"]*)"[^>]*>/.exec(inner)?.[1];
  const image = /<img\b[^>]*>/.exec(inner)?.[0];
  if (dark === undefined || image === undefined) return inner;
  const other = image.replace(/\bsrc="[^"]*"/, `src="${dark}"`);
  return [image.replace("<img", '<img class="dark:sl-hidden"'), other.replace("<img", '<img class="light:sl-hidden"')]
    .map((tag) => tag.replace(/\s+/g, " "))
    .join("\n");
}

function outside({ from, to }: { from: number; to: number }): (edit: Edit) => boolean {
  return (edit) => edit.to <= from || edit.from >= to;
}

/** The text after an offset, with edits that do not overlap. */
function edited(text: string, edits: readonly Edit[], offset: number): string {
  let [result, at] = ["", offset];
  for (const { from, to, text: instead } of edits.toSorted((one, other) => one.from - other.from)) {
    if (from < at) continue;
    result += text.slice(at, from) + instead;
    at = to;
  }
  return result + text.slice(at);
}

/** Visits a node and what is in it, unless `use` wants no more of it. */
function visit(node: Nodes, use: (node: Nodes) => boolean): void {
  if (!use(node) || !("children" in node)) return;
  for (const child of node.children) visit(child, use);
}

/** The text of a node, in one line. */
function plain(node: Nodes, picture?: string): string {
  if (node.type === "html" || node.type === "footnoteReference") return "";
  if (node.type === "image" || node.type === "imageReference") return picture ?? node.alt ?? "";
  if (node.type === "break") return " ";
  if ("value" in node) return node.value.replace(/\s+/g, " ");
  return "children" in node ? node.children.map((child) => plain(child, picture)).join("") : "";
}

function extentOf(nodes: readonly Nodes[]): { from: number; to: number } {
  return { from: nodes.at(0)?.position?.start.offset ?? 0, to: nodes.at(-1)?.position?.end.offset ?? 0 };
}
