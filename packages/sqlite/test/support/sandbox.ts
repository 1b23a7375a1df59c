import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqliteStore, type SqliteStoreOptions, sqliteStore } from "@dt/sqlite";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { afterEach } from "vitest";

/** A folder, stores and processes for one test file; whatever a test leaves is ended and deleted after it. */
export class Sandbox {
  #folder: string | undefined;
  #files = 0;
  readonly #stores: SqliteStore[] = [];
  readonly #children: SourceProcess[] = [];

  constructor() {
    afterEach(async () => {
      await Promise.all(this.#children.splice(0).map((child) => child.kill()));
      await Promise.all(this.#stores.splice(0).map((store) => store.close()));
      if (this.#folder) rmSync(this.#folder, { recursive: true });
      this.#folder = undefined;
    });
  }

  get folder(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), "dt-sqlite-"));
    return this.#folder;
  }

  /** A path at which there is no file yet. */
  path(): string {
    this.#files += 1;
    return join(this.folder, `throttle-${this.#files}.db`);
  }

  store(path: string, options: Partial<SqliteStoreOptions> = {}): SqliteStore {
    const store = sqliteStore({ path, ...options });
    this.#stores.push(store);
    return store;
  }

  /** A process that runs one of the scripts in test/processes. */
  child(script: string, ...args: readonly string[]): SourceProcess {
    const child = new SourceProcess(new URL(`../processes/${script}.ts`, import.meta.url), args);
    this.#children.push(child);
    return child;
  }
}
