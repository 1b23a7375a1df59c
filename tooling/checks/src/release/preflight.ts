/** What is looked at before anything is built. */
export interface State {
  /** What git lists as changed, one file a line. */
  readonly changedFiles: string;
  /** Names of the files in `.changeset` that describe changes. */
  readonly pendingChanges: readonly string[];
  /** Version of each package that is published, by its name. */
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly changelog: string;
  /** Names of all tags. */
  readonly tags: readonly string[];
  /** The address of the remote `origin`; empty without one. */
  readonly origin: string;
}

/** Why nothing can be released from here, each with its remedy; empty when something can. */
export function problemsOf(state: State, hasNotes: (changelog: string, version: string) => boolean): string[] {
  const problems: string[] = [];
  const changed = state.changedFiles.split("\n").filter((line) => line !== "");
  if (changed.length > 0)
    problems.push(
      `the checkout has changes that are not committed (${listOf(changed)}): commit them, or release from a clean clone`,
    );
  if (state.pendingChanges.length > 0)
    problems.push(
      `described changes have no version yet (.changeset/${listOf(state.pendingChanges)}): run "npm run -s version-packages", and commit what it writes`,
    );
  const versions = [...new Set(Object.values(state.versions))];
  const [version] = versions;
  if (versions.length !== 1 || version === undefined)
    problems.push(
      `the packages have several versions (${versions.join(", ")}): "pnpm changeset version" gives them one`,
    );
  else {
    if (!hasNotes(state.changelog, version))
      problems.push(`CHANGELOG.md has no section "## ${version}": "npm run -s version-packages" writes it`);
    if (state.tags.includes(`v${version}`))
      problems.push(
        `${version} is released: it has the tag v${version}; describe a change with "pnpm changeset", then run "npm run -s version-packages"`,
      );
  }
  if (!isOnHost(state.origin))
    problems.push(
      `the remote \`origin\` is "${state.origin}", which is on no host: clone the public repository, since npm compares its address with that of each package`,
    );
  return problems;
}

/** Whether an address leads to a host: `name-repository.mjs` takes the same ones. */
function isOnHost(origin: string): boolean {
  return /^(?:https?|ssh|git):\/\/|^[^@/]+@[^:/]+:/.test(origin);
}

/** The first of many. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.trim());
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}
