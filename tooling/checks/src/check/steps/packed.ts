import { type CheckResult, type PackedPackage, packPublicPackages, smokeTest } from "../../smoke/index.ts";
import { count, format } from "../check-results.ts";
import { checkPackaging } from "../packaging.ts";
import type { Step } from "../step.ts";

/**
 * The steps that look at the packages as they would be published.
 *
 * @param folder an empty folder for the tarballs; the caller removes it.
 * @param after steps to wait for, besides the build
 */
export function packedSteps(folder: string, after: readonly string[]): Step[] {
  let packed: Promise<PackedPackage[]> | undefined;
  const packages = () => {
    packed ??= packPublicPackages(folder);
    return packed;
  };
  return [
    {
      name: "packaging",
      needs: "build",
      after,
      run: async (write) => {
        const results: CheckResult[] = [];
        for (const entry of await packages()) results.push(...(await checkPackaging(entry)));
        for (const result of results) write(`${format(result)}\n`);
        return count(results);
      },
    },
    {
      name: "smoke tests",
      needs: "build",
      after,
      run: async (write) => count(await smokeTest(await packages(), (result) => write(`${format(result)}\n`))),
    },
  ];
}
