/** What one check of one package came to. */
export interface CheckResult {
  /** What was checked, such as "@dt/core under Node 20, required". */
  readonly name: string;
  /** `excluded`: the package does not promise this, so there is nothing to check; shown, but not counted. */
  readonly status: "passed" | "failed" | "excluded";
  /** Why, when it did not pass. */
  readonly reason?: string;
}
