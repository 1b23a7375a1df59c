import type { MemberView, View } from "@dt/core";
import { isMember } from "@dt-tooling/simulator/requests";
import { shareOf } from "./share.ts";
import { msOf } from "./time.ts";
import type { SlotCall, SlotProcess, SlotRequest, SlotSetting, SlotWorld } from "./world.ts";

/**
 * The member's side around core's own `SlotShare`: a transcription of `packages/core/src/semaphore/slot-exchange.ts`
 * (what is sent, and what follows from the answers), without timers and I/O.
 */

/** `SlotExchange.register` and `sync`: a call begins. */
export function send(world: SlotWorld, { bounds, flaw }: SlotSetting, index: number): SlotRequest {
  const process = world.process(index);
  const { share: before, stage } = process;
  const share = shareOf(before, bounds.queue);
  const nowMs = msOf(world.tick);
  const kind = stage === "member" ? "sync" : "register";
  const seq = process.seq + 1;
  const { inUse } = before;
  const want = kind === "register" || share.isClosed ? 0 : share.want(nowMs);
  const waiting = kind === "register" || share.isClosed ? 0 : share.waiting;
  let held = kind === "sync" ? share.report(nowMs) : share.claim(nowMs);
  if (flaw === "nothing-claimed" && kind === "register") held = 0;
  if (flaw === "ended-claim-used") share.restore({ ...share.state, isUnsure: false });
  if (flaw === "reported-below-running" && kind === "sync") held = Math.max(0, Math.min(held, inUse - 1));
  if (flaw === "lowered-with-the-answer") share.held = before.held;
  const request = {
    kind,
    seq,
    held,
    inUse,
    want,
    waiting,
    tookOffer: before.offered?.seq === process.seq,
    generation: process.generation,
    rejoin: process.joined,
  } as const;
  const call: SlotCall = { request, sentTick: world.tick, answer: undefined };
  // Hints to the requests of before do not arrive any more, but for those that are late.
  world.change(index, { seq, share: share.state, call, offer: undefined, ask: undefined });
  return request;
}

/** The answer is read. */
export function receive(world: SlotWorld, setting: SlotSetting, index: number): void {
  const { answer, request, sentTick } = world.process(index).call as SlotCall;
  world.change(index, { call: undefined });
  takeIn(world, setting, index, answer as View, request, sentTick);
}

/** `SlotExchange.#roundTrip`, and what the lifecycle does with an answer that is none to a member. */
function takeIn(
  world: SlotWorld,
  { bounds, flaw }: SlotSetting,
  index: number,
  view: View,
  request: SlotRequest,
  sentTick: number,
): void {
  const share = shareOf(world.process(index).share, bounds.queue);
  if (!isMember(view)) {
    share.leftOut();
    world.change(index, { stage: view.status === "fenced" ? "fenced" : "outside", share: share.state });
    return;
  }
  const { seq, held, kind } = request;
  share.validUntilMs = msOf((flaw === "validity-from-the-answer" ? world.tick : sentTick) + bounds.validity);
  share.accept(view, { seq, held, max: share.max, isRegistration: kind === "register" }, msOf(world.tick));
  if (flaw === "over-ignored") share.restore({ ...share.state, over: false, usable: share.held });
  world.change(index, { stage: "member", generation: view.generation, joined: true, share: share.state });
  expire(world, index, flaw === "signal-not-fired");
}

/** Signals fire where the share of a process has ended. */
export function expire(world: SlotWorld, index: number, isFaulty: boolean): void {
  const { share, fired } = world.process(index);
  if (isFaulty || msOf(world.tick) < share.validUntilMs || fired === share.inUse) return;
  world.tell(index, "its share has ended: the signals of its calls fire");
  world.change(index, { fired: share.inUse });
}

/** Calls of a process that count: those whose signal has not fired. */
export function running({ share, fired }: SlotProcess): number {
  return share.inUse - fired;
}

export function describeView(view: View): string {
  if (!isMember(view)) return view.status;
  const { held, capacity, demand, learning } = view as MemberView;
  const over = demand?.slots?.over ? ", over" : "";
  return `held ${held} of ${capacity}, level ${demand?.waterLevel}${over}${learning ? ", learning" : ""}`;
}
