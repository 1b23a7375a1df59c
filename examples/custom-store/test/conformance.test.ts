import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance } from "@dt/conformance";
import { afterAll, describe, it } from "vitest";
import { LmdbStore, lmdbCapabilities } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "dt-lmdb-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

conformance(
  { describe, it },
  {
    name: "lmdb",
    capabilities: lmdbCapabilities,
    createStore: () => new LmdbStore({ path: join(folder, "limits.mdb") }),
  },
);
