import { describe, expect, it } from "vitest";
import type { Links } from "../src/links.ts";
import { sitePage } from "../src/site-page.ts";

const page = { file: "docs/guides/one.md", slug: "guides/one", label: "One" };
const two = { file: "docs/two.md", slug: "two", label: "Two" };
const front = { file: "README.md", slug: "", label: "Overview" };
const redis = { file: "packages/redis/README.md", slug: "stores/redis", label: "Redis" };

const start = { file: "docs/start.md", slug: "start", label: "Start" };

const links: Links = {
  pages: new Map([page, two, front, redis, start].map((page) => [page.file, page])),
  drawings: new Map([["docs/d.svg", '<svg viewBox="0 0 10 5"><path d="M0 0"/></svg>']]),
  base: "/base",
  repository: undefined,
  exists: (file) => ["docs/a.png", "docs/a b.png", "docs/d.svg", "src/main.ts", "examples/web"].includes(file),
};

/** The body of the page that this Markdown becomes, below its title. */
function bodyOf(markdown: string, to: Partial<Links> = {}): string {
  const { text } = sitePage(page, `# One\n\n${markdown}\n`, { ...links, ...to });
  return text.slice(text.indexOf("---\n", 4) + 4).trim();
}

function matterOf(markdown: string): Record<string, unknown> {
  const [, lines = ""] = /^---\n([\s\S]*?)\n---\n/.exec(sitePage(page, markdown, links).text) ?? [];
  return Object.fromEntries(
    lines.split("\n").map((line) => [line.slice(0, line.indexOf(":")), JSON.parse(line.slice(line.indexOf(":") + 1))]),
  );
}

describe("the title and the description of a page", () => {
  it.each([
    ["# One", "One"],
    ['# `dt`: "quotes" and \\*stars\\*', 'dt: "quotes" and *stars*'],
    ["# [A link](two.md) & <b>HTML</b>", "A link & HTML"],
    ["One\n===", "One"],
    ["# C:\\\\path: # no comment", "C:\\path: # no comment"],
  ])("of %j is %j", (heading, title) => {
    expect(matterOf(`${heading.replace("two.md", "../two.md")}\n\nText.\n`)).toMatchObject({ title });
  });

  it("are its first heading and its first paragraph, in one line and without marks", () => {
    const matter = matterOf("# One\n\n![D](../d.svg)\n\nA *limit* of\n`max` tokens, [here](../two.md).\n\nMore.\n");
    expect(matter).toEqual({ title: "One", description: "A limit of max tokens, here.", editUrl: false });
  });

  it.each(["Text first.\n\n# One", "## Two\n", ""])("are missing in %j, which is refused", (markdown) => {
    expect(() => sitePage(page, markdown, links)).toThrow(/^docs\/guides\/one\.md does not begin with a heading/);
  });

  it("of the front page stand above its text, with where to go", () => {
    const { text } = sitePage(front, "# @dt: \\<limits>\n\nOne & all.\n\nMore.\n", links);
    expect(text).toContain('"tagline":"One &amp; all."');
    expect(text).toContain('"title":"@dt: &lt;limits&gt;"');
    expect(text).toContain('"link":"/base/start/"');
    expect(text).not.toContain("/base/choose/");
    expect(text.slice(text.indexOf("---\n", 4) + 4).trim()).toBe("More.");
  });
});

describe("a link of a page", () => {
  it.each([
    ["[two](../two.md)", "[two](/base/two/)"],
    ["[two](../two.md#a-part)", "[two](/base/two/#a-part)"],
    ["[top](../../README.md)", "[top](/base/)"],
    ["[part](../../README.md#part)", "[part](/base/#part)"],
    ["[folder](../../packages/redis)", "[folder](/base/stores/redis/)"],
    ["[folder](../../packages/redis/)", "[folder](/base/stores/redis/)"],
    ["[root](/docs/two.md)", "[root](/base/two/)"],
    ["[here](#part)", "[here](#part)"],
    ["[out](https://example.com/a.md#b)", "[out](https://example.com/a.md#b)"],
    ["[mail](mailto:a@example.com)", "[mail](mailto:a@example.com)"],
    ["<https://example.com> and https://example.com/x", "<https://example.com> and https://example.com/x"],
    ['[two](../two.md "see ../two.md \\"now\\"")', '[two](/base/two/ "see ../two.md \\"now\\"")'],
    ["[two](<../two.md>)", "[two](/base/two/)"],
    ["[t\\]w\\[o](../two.md)", "[t\\]w\\[o](/base/two/)"],
    ["[](../two.md)", "[](/base/two/)"],
    ["[`code`](../two.md) and `[code](../two.md)`", "[`code`](/base/two/) and `[code](../two.md)`"],
    ["## A [link](../two.md) within", "## A [link](/base/two/) within"],
    ["| a |\n|---|\n| [two](../two.md#x) \\| b |", "| a |\n|---|\n| [two](/base/two/#x) \\| b |"],
    ["- one\n  - [two](../two.md)", "- one\n  - [two](/base/two/)"],
    ["[two]\n\n[two]: ../two.md#x 'A title'", '[two]\n\n[two]: /base/two/#x "A title"'],
    ["[*a* two][ref]\n\n[ref]: <../two.md>", "[*a* two][ref]\n\n[ref]: /base/two/"],
    ["[![a](../a.png)](../two.md)", "[![a](/base/figures/a.png)](/base/two/)"],
    ["![a \\] b](../a%20b.png)", "![a \\] b](</base/figures/a b.png>)"],
    ["```md\n[two](../two.md)\n```", "```md\n[two](../two.md)\n```"],
  ])("%j becomes %j", (markdown, expected) => {
    expect(bodyOf(markdown)).toBe(expected);
  });

  it("to a file that is no page is text, unless files can be read on a code host", () => {
    const markdown = "A [`main` *file*](../../src/main.ts#L1), [another][1].\n\n[1]: ../../examples/web";
    expect(bodyOf(markdown)).toBe("A `main` *file*, another.");
    const repository = "https://example.com/blob/main";
    expect(bodyOf(markdown, { repository })).toBe(
      `A [\`main\` *file*](${repository}/src/main.ts#L1), [another][1].\n\n[1]: ${repository}/examples/web`,
    );
  });

  it("within a link that is text keeps its own", () => {
    expect(bodyOf("[![a](../a.png) x](../../src/main.ts)")).toBe("![a](/base/figures/a.png) x");
  });

  it.each(["../thre.md", "../../../outside.md", "missing.png"])("to %s, which does not exist, is refused", (to) => {
    const problem = `docs/guides/one.md links to ${to}, but there is no `;
    expect(() => bodyOf(`[x](${to})`)).toThrow(problem);
    expect(() => bodyOf(`[x]\n\n[x]: ${to}`)).toThrow(problem);
    expect(() => bodyOf(`<a href="${to}">x</a>`)).toThrow(problem);
  });
});

describe("what else a page holds", () => {
  it("loses its comments", () => {
    expect(bodyOf("<!-- example: a.ts -->\n```js\n// <!-- code -->\n```\n\nText <!-- x --> end.")).toBe(
      "```js\n// <!-- code -->\n```\n\nText  end.",
    );
  });

  it("shows a drawing as a part of the page, and names its file nowhere", () => {
    const { text, figures } = sitePage(page, '# One\n\n![A "drawing"](../d.svg)\n', links);
    expect(text).toContain('<figure class="drawing not-content"><div class="box"><svg');
    expect(text).toContain('<figcaption class="sr-only">A &quot;drawing&quot;</figcaption>');
    expect(figures).toEqual([]);
  });

  it("shows a drawing among words as a picture", () => {
    const { text, figures } = sitePage(page, "# One\n\nSee ![A drawing](../d.svg) here.\n", links);
    expect(text).toContain("See ![A drawing](/base/figures/d.svg) here.");
    expect(figures).toEqual(["docs/d.svg"]);
  });

  it("may not show a drawing without a text", () => {
    expect(() => bodyOf("![](../d.svg)")).toThrow("shows ../d.svg without a text");
  });

  it("follows the theme of the site with its pictures, too", () => {
    const html = `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="../a b.png">
  <img src="../a.png" alt="Two
  lines">
</picture>`;
    expect(bodyOf(html)).toBe(
      '<img class="dark:sl-hidden" src="/base/figures/a.png" alt="Two lines">\n' +
        '<img class="light:sl-hidden" src="/base/figures/a b.png" alt="Two lines">',
    );
  });
});
