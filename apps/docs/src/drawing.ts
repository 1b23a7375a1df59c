import postcss, { type AtRule, type Container } from "postcss";

/** The site's own toggle decides what is dark, not the reader's system. */
const DARK = ':where(:root[data-theme="dark"])';

const REFUSED: readonly [pattern: RegExp, problem: string][] = [
  [/<script\b/i, "holds a script"],
  [/<(animate|animateMotion|animateTransform|set)\b/i, "moves by SMIL, which the pause button cannot stop; use CSS"],
  [/@import|url\((?!["']?#)/i, "loads another file"],
  [/\b(?:href|src)="(?!#)/i, "loads another file"],
];

/**
 * A drawing as a part of a page, in one line: it follows the theme of the site, and can be paused there where it moves.
 * Its styles reach no other part of the page.
 *
 * @param name of its file, without the extension
 * @param alt what the drawing shows, for a reader who does not see it
 * @throws Error when it cannot be a part of a page, with the reason
 */
export function drawingOf(name: string, svg: string, alt: string): string {
  for (const [pattern, problem] of REFUSED)
    if (pattern.test(svg)) throw new Error(`the drawing ${name}.svg ${problem}; draw it without`);
  const root = /<svg\b([^>]*)>/.exec(svg);
  const size = /\bviewBox="[\d.-]+[\s,]+[\d.-]+[\s,]+([\d.]+)[\s,]+([\d.]+)"/.exec(root?.[1] ?? "");
  if (root === null || size === null) throw new Error(`the drawing ${name}.svg has no viewBox; give its root one`);
  const moves = /@keyframes/.test(svg);
  const attributes = (root[1] ?? "").replace(/\s(?:width|height|role|aria-label|aria-labelledby|style)="[^"]*"/g, "");
  const inner = svg
    .slice(root.index + root[0].length)
    .replace(/<!--[\s\S]*?-->/g, "")
    // The caption has it; browsers would show it as a tooltip.
    .replace(/^\s*<title>[\s\S]*?<\/title>/, "")
    .replace(/<style>([\s\S]*?)<\/style>/g, (_all, css: string) => `<style>${scoped(css, name)}</style>`);
  const drawn = `<svg${attributes} data-drawing="${name}" aria-hidden="true" style="--width: ${size[1]}">${inner}`;
  const html = `<figure class="drawing not-content"${moves ? " data-moves" : ""}><div class="box">${drawn}</div><figcaption class="sr-only">${escaped(alt)}</figcaption></figure>`;
  return html.replace(/\s*\n\s*/g, " ").trim();
}

/** The styles of a drawing, for it alone. */
function scoped(css: string, name: string): string {
  const sheet = postcss.parse(css);
  const scope = `[data-drawing="${name}"]`;
  sheet.walkAtRules("media", (media) => {
    if (!media.params.includes("prefers-color-scheme")) return;
    if (/^\(\s*prefers-color-scheme\s*:\s*dark\s*\)$/.test(media.params)) return;
    throw new Error(`the drawing ${name}.svg asks for "${media.params}"; ask for (prefers-color-scheme: dark) alone`);
  });
  sheet.walkRules((rule) => {
    if (isKeyframes(rule.parent)) return;
    const dark = isDark(rule.parent) ? `${DARK} ` : "";
    rule.selectors = rule.selectors.map((selector) => {
      const own = /^(?:svg|:root)(?![\w-])/.exec(selector);
      return `${dark}${own === null ? `${scope} ${selector}` : scope + selector.slice(own[0].length)}`;
    });
  });
  sheet.walkAtRules("media", (media) => {
    if (isDark(media)) media.replaceWith(...(media.nodes ?? []));
  });
  return sheet.toString();
}

function isKeyframes(node: Container | undefined | { type: string }): boolean {
  return node?.type === "atrule" && (node as AtRule).name.endsWith("keyframes");
}

function isDark(node: Container | undefined | { type: string }): boolean {
  return node?.type === "atrule" && (node as AtRule).params.includes("prefers-color-scheme");
}

/** Text within HTML. */
export function escaped(text: string): string {
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/\s+/g, " ");
}
