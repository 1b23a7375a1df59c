import { readFileSync } from "node:fs";
import { createPackageFromTarballData } from "@arethetypeswrong/core";

/** The parts of a packed package.json that a release depends on. */
interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What a tarball lacks to be published, beyond what every run of the tests checks. */
export function releaseProblems(tarball: string, name: string, version: string): string[] {
  const content = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)));
  const path = (file: string): string => `/node_modules/${name}/${file}`;
  const problems = ["LICENSE", "README.md"].flatMap((file) =>
    content.fileExists(path(file)) ? [] : [`the tarball has no ${file}`],
  );
  const manifest = JSON.parse(content.readFile(path("package.json"))) as PackedManifest;
  if (manifest.version !== version) problems.push(`its version is ${manifest.version}, not ${version}`);
  if (manifest.repository?.url === undefined || manifest.repository.directory === undefined)
    problems.push("package.json does not have where its sources are: `repository` is missing");
  for (const [needed, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }))
    if (range.startsWith("workspace:")) problems.push(`it asks for ${needed} as ${range}, which npm does not know`);
  return problems;
}
