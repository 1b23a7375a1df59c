export type { CheckResult } from "./check-result.ts";
export { type PackedPackage, packPublicPackages } from "./pack.ts";
export { smokeTest } from "./smoke-test.ts";
