import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { createThrottle, DtError } from "@dt/core";
import type {
  checkFarewell,
  checkRegistration,
  checkReport,
  deregister,
  inspect,
  register,
  sync,
} from "@dt/core/ledger";

/** What the world runs: the real functions, or those of a deliberately broken copy. */
export interface Core {
  readonly createThrottle: typeof createThrottle;
  readonly DtError: typeof DtError;
  readonly register: typeof register;
  readonly sync: typeof sync;
  readonly deregister: typeof deregister;
  readonly inspect: typeof inspect;
  readonly checkRegistration: typeof checkRegistration;
  readonly checkReport: typeof checkReport;
  readonly checkFarewell: typeof checkFarewell;
}

/** Loads core from a folder of its sources: `packages/core/src`, or a copy of it. */
export async function loadCore(sourceFolder: string): Promise<Core> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(sourceFolder, file)).href);
  const [index, ledger] = await Promise.all([load("index.ts"), load("ledger/index.ts")]);
  return {
    ...(index as Pick<Core, "createThrottle" | "DtError">),
    ...(ledger as Omit<Core, "createThrottle" | "DtError">),
  };
}
