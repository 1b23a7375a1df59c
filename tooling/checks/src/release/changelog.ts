/** A described change, as changesets reads it from `.changeset`. */
export interface Change {
  readonly summary: string;
  readonly releases: readonly { readonly name: string; readonly type: "major" | "minor" | "patch" | "none" }[];
}

const KINDS = ["major", "minor", "patch"] as const;

const FIRST_LINES = `# Changelog

All packages have one version. Each change names the packages that it is about, where these are not all of them.
`;

/**
 * What a version brings, as a section of the one changelog.
 *
 * @param published names of all packages that are published
 */
export function entryOf(version: string, changes: readonly Change[], published: readonly string[]): string {
  const sections = KINDS.flatMap((kind) => {
    const items = changes.filter((change) => kindOf(change) === kind).map((change) => itemOf(change, published));
    return items.length === 0 ? [] : [`### ${kind[0]?.toUpperCase()}${kind.slice(1)} changes`, ...items];
  });
  return [`## ${version}`, ...sections].join("\n\n");
}

/** The changelog with a version more, the newest first. */
export function withEntry(changelog: string, entry: string): string {
  const text = changelog === "" ? FIRST_LINES : changelog;
  const first = text.search(/^## /m);
  const [before, after] = first === -1 ? [text, ""] : [text.slice(0, first), text.slice(first)];
  return `${before.trimEnd()}\n\n${entry}\n${after === "" ? "" : `\n${after}`}`;
}

/** The section of a version without its heading: the notes of the release; undefined where there is none. */
export function notesOf(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version}\n`));
  return section?.slice(version.length).trim();
}

/** The largest kind of change that it is to any package. */
function kindOf({ releases }: Change): (typeof KINDS)[number] | undefined {
  return KINDS.find((kind) => releases.some(({ type }) => type === kind));
}

function itemOf({ summary, releases }: Change, published: readonly string[]): string {
  const names = releases.filter(({ type }) => type !== "none").map(({ name }) => name);
  const isOfAll = published.every((name) => names.includes(name));
  return isOfAll ? summary.trim() : `${names.map((name) => `\`${name}\``).join(", ")}: ${summary.trim()}`;
}
