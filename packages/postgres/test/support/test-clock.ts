import type { Admin } from "./admin.ts";
import testClock from "./test-clock.sql";

/** Puts a schema that exists on a clock that tests set. */
export class TestClock {
  readonly #admin: Admin;
  readonly #schema: string;

  private constructor(admin: Admin, schema: string) {
    this.#admin = admin;
    this.#schema = schema;
  }

  static async install(admin: Admin, schema: string): Promise<TestClock> {
    await admin.run(testClock.replaceAll("{schema}", schema));
    return new TestClock(admin, schema);
  }

  async set(clockMs: number): Promise<void> {
    await this.#admin.rows(`UPDATE ${this.#schema}.test_clock SET clock_ms = $1`, [clockMs]);
  }

  async shift(byMs: number): Promise<void> {
    await this.#admin.rows(`UPDATE ${this.#schema}.test_clock SET shift_ms = shift_ms + $1`, [byMs]);
  }
}
