import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import type { Manifest } from "@dt-tooling/bootstrap";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { CheckResult, PackedPackage } from "../smoke/index.ts";

/** Checks a tarball as a package manager and a type checker would read it. */
export async function checkPackaging({ manifest, tarball }: PackedPackage): Promise<CheckResult[]> {
  const data = await readFile(tarball);
  const results = [
    toResult(`${manifest.name}: publint`, await publintProblems(data)),
    toResult(`${manifest.name}: licence and provenance`, legalProblems(manifest, data)),
    toResult(`${manifest.name}: source maps`, mapProblems(manifest, data)),
  ];
  if (manifest.exports !== undefined) {
    const isDual = JSON.stringify(manifest.exports).includes('"require"');
    results.push(toResult(`${manifest.name}: types resolve`, await typeProblems(data, isDual)));
  }
  return results;
}

async function publintProblems(data: Buffer): Promise<string[]> {
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
  const { messages, pkg } = await publint({ pack: { tarball }, level: "suggestion", strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** What a company's checks ask of a package before it may be used. */
function legalProblems(manifest: Manifest, data: Buffer): string[] {
  const content = createPackageFromTarballData(new Uint8Array(data));
  const problems: string[] = [];
  if (!content.fileExists(`/node_modules/${manifest.name}/LICENSE`)) problems.push("the tarball has no LICENSE");
  if (manifest.publishConfig?.provenance !== true) problems.push("publishConfig.provenance is not true");
  return problems;
}

/** A stack trace leads to a source that the user has, once: beside the scripts, not in each of their maps. */
function mapProblems({ name }: Manifest, data: Buffer): string[] {
  const content = createPackageFromTarballData(new Uint8Array(data));
  const root = `/node_modules/${name}/`;
  const maps = content.listFiles().filter((file) => file.endsWith(".map"));
  return maps.flatMap((file) => {
    const { sources, sourcesContent } = JSON.parse(content.readFile(file)) as SourceMap;
    const missing = sources.filter((source) => !content.fileExists(posix.resolve(posix.dirname(file), source)));
    const problems = missing.map((source) => `names ${source}, which is not in the tarball`);
    if (sourcesContent !== undefined) problems.push("repeats its sources");
    return problems.map((problem) => `${file.slice(root.length)} ${problem}`);
  });
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: unknown;
}

/** The old Node 10 resolution is not supported; a package that cannot be required is not asked to be. */
async function typeProblems(data: Buffer, isDual: boolean): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
  if (result.types === false) return ["the package has no types"];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem) || problem.resolutionKind !== "node10")
    .filter((problem) => isDual || !("resolutionKind" in problem) || problem.resolutionKind !== "node16-cjs")
    .map((problem) => JSON.stringify(problem));
}

function toResult(name: string, problems: readonly string[]): CheckResult {
  return problems.length === 0 ? { name, status: "passed" } : { name, status: "failed", reason: problems.join("\n") };
}
