import { steps } from "../world/actions.ts";
import { Codec } from "../world/codec.ts";
import { firstWorlds } from "../world/first-worlds.ts";
import type { Setting, Violation } from "../world/world.ts";
import { type Found, type Progress, walk } from "./walk.ts";

/** What an exploration of the ledger protocol found. */
export type Exploration = Found<Violation>;

/** Walks every state of the ledger protocol that can be reached within the bounds. */
export function explore(setting: Setting, progress?: Progress): Exploration {
  const codec = new Codec(setting);
  // Processes are alike, and change places in a state: in a trace each keeps its name.
  let names: readonly string[] | undefined;
  return walk(
    {
      first: firstWorlds(setting),
      steps: (world, emit) => steps(world, setting, emit),
      encode: (world) => codec.encode(world),
      decode: (bytes) => codec.decode(bytes),
      told: {
        before: (world) => {
          world.names = names ?? world.names;
        },
        after: (world, next) => {
          codec.encode(next);
          names = codec.order.map((slot) => world.names[slot] as string);
        },
      },
    },
    progress,
  );
}
