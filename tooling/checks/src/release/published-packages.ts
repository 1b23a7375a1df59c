import { hasSources, type WorkspacePackage, workspacePackages } from "@dt-tooling/bootstrap";

/** Every package that is published, ordered by folder. */
export function publishedPackages(): WorkspacePackage[] {
  return workspacePackages().filter(({ path, manifest }) => manifest.private !== true && hasSources(path));
}
