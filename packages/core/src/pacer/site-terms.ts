/** What fits into the terms of a key (P10). */
const LONGEST_BYTES = 1_024;

/**
 * What all processes of a grouped pacer must agree on, as text: every site with the terms of its part. The same in
 * every site's store, and in whatever order a process names its sites. A list that is too long is told by its digest.
 */
export function siteTerms(parts: ReadonlyMap<string, string>): string {
  const sites = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = sites.map(([name, terms]) => `${shown(name)}: ${terms}`).join("; ");
  if (new TextEncoder().encode(text).length <= LONGEST_BYTES) return text;
  return `${sites.length} sites, digest ${digest(text, 0)}${digest(text, 1)}`;
}

/** Names that could be taken for something else are quoted. */
function shown(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

/** 32 bits of a text (FNV-1a): enough to tell lists apart that differ by mistake. */
function digest(text: string, seed: number): string {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
