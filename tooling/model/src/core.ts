import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MemberView } from "@dt/core";
import type { deregister, register, sync } from "@dt/core/ledger";
import { brokenCopy } from "@dt-tooling/worlds/sim";

/** A place in core's sources that is changed: in `file` (below `packages/core/src`), `from` stands exactly once and becomes `to`. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** On what tokens are counted; as in `packages/core/src/consensus/holding.ts`. */
export type Basis =
  | { readonly kind: "held"; readonly tokens: number }
  | { readonly kind: "agreed"; readonly capacity: number; readonly poolSize: number; readonly rank: number };

export interface Raise {
  readonly fromEpoch: number;
  readonly basis: Basis;
}

/** Core's `Holding` with its private fields open, so that its state can be saved and put back. */
export interface OpenHolding {
  readonly held: number;
  readonly agreed: boolean;
  accept(view: MemberView, fromEpoch: number): void;
  advance(epoch: number): void;
  giveUpExtras(): void;
  clear(): void;
  shareAt(
    level: number,
    epoch: number,
  ): { readonly tokens: number; readonly first: number; readonly step: number; readonly length: number };
  _current: Basis;
  _raises: Raise[];
  _generation: number;
  _poolSize: number;
  _capacity: number;
  _rank: number;
}

/** What the model runs of core: the real functions and the real class, or those of a deliberately broken copy. */
export interface ModelCore {
  readonly register: typeof register;
  readonly sync: typeof sync;
  readonly deregister: typeof deregister;
  readonly Holding: new () => OpenHolding;
}

const SOURCES = fileURLToPath(new URL("../../../packages/core/src", import.meta.url));
const HOLDING = "consensus/holding.ts";

/**
 * Loads core's ledger and `Holding` from a copy of its sources, in which private names (`#x`) are ordinary ones (`_x`) and nothing else differs but
 * `changes`.
 * @throws Error when a place to change is not there exactly once
 */
export async function loadCore(changes: readonly Change[] = []): Promise<ModelCore> {
  const folder = await brokenCopy(SOURCES, { name: "model", what: "", changes });
  try {
    const file = join(folder, HOLDING);
    await writeFile(file, (await readFile(file, "utf8")).replaceAll(/#(?=[a-z])/g, "_"));
    const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, path)).href);
    const [ledger, holding] = await Promise.all([load("ledger/ledger.ts"), load(HOLDING)]);
    return { ...(ledger as Omit<ModelCore, "Holding">), Holding: (holding as Pick<ModelCore, "Holding">).Holding };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
