import { steps } from "./actions.ts";
import { FIRST_TICK } from "./time.ts";
import { type Setting, World } from "./world.ts";

/** Where runs begin: an empty group, or all processes in agreement and using their exact split. */
export function firstWorlds(setting: Setting): readonly World[] {
  const { from, demand } = setting.bounds;
  if (demand > 0) return [new World(setting)];
  return [...(from === "agreed" ? [] : [new World(setting)]), ...(from === "empty" ? [] : [agreedWorld(setting)])];
}

/**
 * Made by the model's own steps, before tick 0: everybody registers and syncs until all agree, and then as long until
 * the splits are in use.
 */
function agreedWorld(setting: Setting): World {
  let world = new World(setting);
  world.tick = FIRST_TICK - 2 * LEAD_EPOCHS;
  while (world.tick < FIRST_TICK) {
    for (let slot = 0; slot < world.processes.length; slot++)
      for (const kind of ["look", "call"]) world = step(world, setting, kind, slot) ?? world;
    world = step(world, setting, "tick") ?? world;
  }
  for (let slot = 0; slot < world.processes.length; slot++) world = step(world, setting, "call", slot) ?? world;
  return world;
}

const LEAD_EPOCHS = 4;

/** The first step of a kind that changes this process; of several looks, the one at the newest epoch. */
function step(world: World, setting: Setting, kind: string, slot?: number): World | undefined {
  let found: World | undefined;
  steps(world, { ...setting, bounds: { ...setting.bounds, ticks: 0, naive: false } }, (name, next) => {
    if (name !== kind || (slot !== undefined && next.processes[slot] === world.processes[slot])) return;
    if (found === undefined || kind === "look") found = next;
  });
  return found;
}
