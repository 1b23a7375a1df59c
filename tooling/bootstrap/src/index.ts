export { decorators } from "./decorators.ts";
export { type Entries, entriesOf, sourcesOf } from "./entries.ts";
export { textFiles } from "./text-files.ts";
export {
  hasSources,
  type Manifest,
  readManifest,
  repositoryRoot,
  type WorkspacePackage,
  workspacePackages,
} from "./workspace.ts";
