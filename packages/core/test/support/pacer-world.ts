import { createPacer, isDtError, MemoryStore, type Pacer, type PacerOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyLedger } from "./faulty-ledger.ts";

/** When a world begins. */
export const START_MS = 1_000_000;

export interface PacerWorld {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryStore;
  create(more?: Partial<PacerOptions>): Pacer;
  /** Asks `count` times at once. Answers of all pacers land in one list, as `<label><number>@<ms since the start>`. */
  ask(pacer: Pacer, count: number, label?: string): string[];
}

/** Pacers of one key in virtual time, on a memory store. */
export function pacerWorld(options: Partial<PacerOptions> = {}): PacerWorld {
  const runtime = new VirtualRuntime({ startMs: START_MS });
  const store = new MemoryStore({ runtime });
  const seen: string[] = [];
  return {
    runtime,
    store,
    create: (more) => createPacer({ name: "k", every: "6s", store, runtime, ...options, ...more }),
    ask: (pacer, count, label = "") => {
      for (let i = 0; i < count; i++)
        pacer.acquire().then(
          (permit) => seen.push(permit ? `${label}${i}@${runtime.now() - START_MS}` : `${label}${i}:none`),
          (error: unknown) => seen.push(`${label}${i}:${isDtError(error) ? error.code : error}`),
        );
      return seen;
    },
  };
}

/** The same behind a link that can be slow and lose things, and sends no hints; a permit every 100 ms. */
export function linkedPacerWorld(options: Partial<PacerOptions> = {}): PacerWorld & { readonly link: FaultyLedger } {
  const world = pacerWorld({ every: 100, ...options });
  const link = new FaultyLedger(world.store, world.runtime);
  return { ...world, link, create: (more) => world.create({ store: link, ...more }) };
}
