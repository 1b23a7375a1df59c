import { type Found, type Progress, walk } from "../explore/walk.ts";
import { SlotCodec } from "./codec.ts";
import { receive, send } from "./member.ts";
import { slotSteps } from "./steps.ts";
import { workOn } from "./store.ts";
import { type SlotSetting, type SlotViolation, SlotWorld } from "./world.ts";

/** Where runs begin: all processes are members. */
function joined(setting: SlotSetting): SlotWorld {
  const world = SlotWorld.first(setting);
  for (let index = 0; index < setting.bounds.members; index++) {
    const request = send(world, setting, index);
    const answer = workOn(world, setting, index, request);
    world.change(index, { call: { request, sentTick: world.tick, answer } });
    receive(world, setting, index);
  }
  return world;
}

/** Walks every state of a semaphore that can be reached within the bounds. */
export function exploreSlots(setting: SlotSetting, progress?: Progress): Found<SlotViolation> {
  const codec = new SlotCodec();
  return walk(
    {
      first: [joined(setting)],
      steps: (world, emit) => slotSteps(world, setting, emit),
      encode: (world) => codec.encode(world),
      decode: (bytes) => codec.decode(bytes),
    },
    progress,
  );
}
