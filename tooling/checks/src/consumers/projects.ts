import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the projects lie, and beside them the files that all of them get. */
export const PROJECTS: string = join(import.meta.dirname, "../../fixtures/consumers");

/** What a project of a user's writes into its package.json. */
export interface ProjectManifest {
  /** Each is a check; its name says what of. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Names of all projects, which are their tools'. */
export function projectNames(): string[] {
  const entries = readdirSync(PROJECTS, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

export function manifestOf(project: string): ProjectManifest {
  return JSON.parse(readFileSync(join(PROJECTS, project, "package.json"), "utf8")) as ProjectManifest;
}

/** Files that every project gets. */
export function sharedFiles(): string[] {
  return readdirSync(PROJECTS).filter((name) => /\.(?:[cm]?[jt]s|json)$/.test(name));
}
