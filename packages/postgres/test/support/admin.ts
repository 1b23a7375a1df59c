import pg from "pg";

/** A superuser's pool for looking behind the store's back. */
export class Admin {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    // Servers are stopped and killed on purpose.
    this.#pool.on("error", () => {});
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query<Record<string, unknown>>(sql, [...values])).rows;
  }

  /** The only value of the only row, as a number. */
  async number(sql: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.rows(sql, values);
    return Number(Object.values(row as object)[0]);
  }

  /** Which versions of the store's tables a schema has had. */
  async versions(schema: string): Promise<unknown[]> {
    return (await this.rows(`SELECT version FROM ${schema}.dt_format ORDER BY version`)).map(({ version }) => version);
  }

  /** Several statements at once, in one transaction. */
  async run(sql: string): Promise<void> {
    await this.#pool.query(sql);
  }

  /** A transaction that stays open until it is disposed of. */
  async hold(sql: string): Promise<AsyncDisposable> {
    const client = await this.#pool.connect();
    await client.query(`BEGIN; ${sql}`);
    let open = true;
    return {
      async [Symbol.asyncDispose]() {
        if (open) await client.query("ROLLBACK");
        if (open) client.release();
        open = false;
      },
    };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
