import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { checkFarewell, checkRegistration, checkReport, deregister, register, sync } from "@dt/core/ledger";
import { type Bug, brokenCopy, type Seams } from "@dt-tooling/worlds/sim";

/** Core's `Holding`, whose state can be kept and put back. */
export type Holding = InstanceType<Seams["consensus/holding.ts"]["Holding"]>;
export type HoldingState = Holding["state"];
export type Basis = HoldingState["current"];
export type Raise = HoldingState["raises"][number];

/** What the model runs of core: the real functions and the real class, or those of a deliberately broken copy. */
export interface ModelCore {
  readonly register: typeof register;
  readonly sync: typeof sync;
  readonly deregister: typeof deregister;
  readonly checkRegistration: typeof checkRegistration;
  readonly checkReport: typeof checkReport;
  readonly checkFarewell: typeof checkFarewell;
  readonly Holding: Seams["consensus/holding.ts"]["Holding"];
}

const SOURCES = fileURLToPath(new URL("../../../packages/core/src", import.meta.url));
const FILES = ["ledger/ledger.ts", "ledger/check-request.ts", "consensus/holding.ts"];

/**
 * Loads the parts of core that the model runs, with a bug in them if one is given.
 * @throws Error when what the bug replaces is not there
 */
export async function loadCore(bug?: Bug): Promise<ModelCore> {
  if (!bug) return load(SOURCES);
  const folder = await brokenCopy(SOURCES, bug);
  try {
    return await load(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function load(folder: string): Promise<ModelCore> {
  const parts = await Promise.all(FILES.map((file) => import(pathToFileURL(join(folder, file)).href)));
  return Object.assign({}, ...parts) as ModelCore;
}
