import { literal, type Parameter } from "../../src/statement/literal.ts";
import type { Admin } from "./admin.ts";
import version1 from "./versions/1.sql";
import version2 from "./versions/2.sql";
import version3 from "./versions/3.sql";
import version4 from "./versions/4.sql";
import version5 from "./versions/5.sql";
import version6 from "./versions/6.sql";
import version7 from "./versions/7.sql";

const STEPS = [version1, version2, version3, version4, version5, version6, version7] as const;

type OldVersion = 1 | 2 | 3 | 4 | 5 | 6 | 7;

const INTERVAL_MS = 1_000;

/** Makes a schema as an older version of this package did, to the letter. */
export async function makeOldSchema(admin: Admin, schema: string, version: OldVersion): Promise<void> {
  const steps = STEPS.slice(0, version).map((step, i) => `INSERT INTO {schema}.dt_version VALUES (${i + 1});\n${step}`);
  const versions =
    "CREATE TABLE {schema}.dt_version (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());";
  await admin.run([`CREATE SCHEMA {schema};`, versions, ...steps].join("\n").replaceAll("{schema}", schema));
}

/**
 * What processes of versions 2 to 7 send: calls with the parameters of that version. They go by `held` and `fair` of an
 * answer; those of versions from 4 on by `entitled`. Those of version 4 go by `from_epoch` too, and refuse one that has
 * begun; those of versions from 5 on say what they used.
 */
export class OldProcess {
  readonly #admin: Admin;
  readonly #schema: string;
  readonly #incarnation: string;
  readonly #version: Exclude<OldVersion, 1>;
  #seq = 0;

  constructor(admin: Admin, schema: string, incarnation: string, version: Exclude<OldVersion, 1> = 2) {
    this.#admin = admin;
    this.#schema = schema;
    this.#incarnation = incarnation;
    this.#version = version;
  }

  register(group: string, max: number): Promise<Record<string, unknown>> {
    const self = [group, this.#incarnation, this.#incarnation, ++this.#seq, false, 0, max];
    const clockError = this.#version >= 3 ? [250] : [];
    return this.#call("dt_register", [...self, INTERVAL_MS, 8_000, 0, null, 0, 0, 1_000, null, ...clockError]);
  }

  /** Adopts what it was answered. */
  sync(group: string, view: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { generation, pool_size, held, fair, entitled, capacity } = view as Record<string, string>;
    const lower = this.#version >= 4 ? Number(entitled) : Math.min(Number(held), Number(fair));
    const report = [generation, pool_size, lower, capacity].map(Number);
    return this.#call("dt_sync", [
      group,
      this.#incarnation,
      ++this.#seq,
      ...report,
      null,
      0,
      1_000,
      null,
      ...this.#use(),
    ]);
  }

  deregister(group: string): Promise<Record<string, unknown>> {
    return this.#call("dt_deregister", [group, this.#incarnation, null, 0, 1_000, null, ...this.#use()]);
  }

  /** Nothing, in an epoch long ago. */
  #use(): readonly Parameter[] {
    return this.#version >= 5 ? [7, 0] : [];
  }

  async #call(name: string, parameters: readonly Parameter[]): Promise<Record<string, unknown>> {
    const [row] = await this.#admin.rows(
      `SELECT * FROM ${this.#schema}.${name}(${parameters.map(literal).join(", ")})`,
    );
    const { store_time_ms, from_epoch } = row as Record<string, string>;
    const epoch = Math.floor(Number(store_time_ms) / INTERVAL_MS);
    if (this.#version === 4 && from_epoch !== undefined && Number(from_epoch) <= epoch)
      throw new Error(`refused: from_epoch ${from_epoch}, which had begun by ${store_time_ms}`);
    return row as Record<string, unknown>;
  }
}
