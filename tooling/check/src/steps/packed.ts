import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckResult, type PackedPackage, packPublicPackages, smokeTest } from "@dt-tooling/smoke";
import { count, format } from "../check-results.ts";
import { checkPackaging } from "../packaging.ts";
import type { Step } from "../step.ts";

/**
 * The steps that look at the packages as they would be published.
 *
 * @param folder an empty folder for the tarballs; the caller removes it.
 */
export function packedSteps(folder: string): Step[] {
  let packed: Promise<PackedPackage[]> | undefined;
  const packages = () => {
    packed ??= packPublicPackages(folder);
    return packed;
  };
  const print = (result: CheckResult) => process.stdout.write(`${format(result)}\n`);
  return [
    {
      name: "packaging",
      needs: "build",
      run: async () => {
        const results: CheckResult[] = [];
        for (const entry of await packages()) results.push(...(await checkPackaging(entry)));
        results.forEach(print);
        return count(results);
      },
    },
    {
      name: "smoke tests",
      needs: "build",
      run: async () => count(await smokeTest(await packages(), print)),
    },
  ];
}

export function tarballFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "dt-tarballs-"));
}
