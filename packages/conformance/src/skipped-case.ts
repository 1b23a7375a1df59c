/** What a case throws that finds out only when it runs that it cannot: the store lacks an optional part. */
export class SkippedCase extends Error {
  readonly why: string;

  constructor(why: string) {
    super(`skipped: ${why}`);
    this.name = "SkippedCase";
    this.why = why;
  }
}
