import { describe, expect, it } from "vitest";
import type { SlotView } from "../../src/contract/demand.ts";
import type { MemberView } from "../../src/index.ts";
import { semaphoreEvents } from "../../src/semaphore/events.ts";
import { SlotShare } from "../../src/semaphore/slot-share.ts";
import { SlotValidity } from "../../src/semaphore/slot-validity.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SLOTS: SlotView = { over: false, wanted: false, place: 0, turns: 0 };
const PLENTY = { reserve: 0, extra: 0, odd: false, tight: false, hungry: false };

function view(
  held: number,
  { capacity = 8, demand = {}, slots = {} as Partial<SlotView> | undefined } = {},
): MemberView {
  return {
    status: "disagree",
    generation: 1,
    members: 2,
    reportedMembers: 2,
    rank: 0,
    held,
    entitled: held,
    fromEpoch: 0,
    early: 0,
    capacity,
    clockErrorMs: 0,
    storeTimeMs: 0,
    groupAgeMs: 0,
    learning: false,
    resumeLevel: null,
    demand: { waterLevel: capacity, ...PLENTY, ...demand, ...(slots && { slots: { ...SLOTS, ...slots } }) },
  };
}

/** A share that was answered once, to its request 1. */
function answered(first: MemberView, hasQueue = true): SlotShare {
  const share = new SlotShare({ max: 8, hasQueue, head: () => 0, isPushed: () => hasQueue, turnMs: () => 100 });
  share.validUntilMs = 5_000;
  share.accept(first, { seq: 1, held: 0, max: 8, isRegistration: true }, 0);
  return share;
}

const report = (seq: number, held: number, max = 8) => ({ seq, held, max, isRegistration: false });

describe("what a share reports", () => {
  it("lowers what may be in use when it is sent, and not when it is answered", () => {
    const share = answered(view(5, { demand: { tight: true, waterLevel: 1 } }));
    share.inUse = 2;
    share.note(0);
    expect(share.usable(50)).toBe(5);
    expect(share.report(50)).toBe(2);
    expect(share.held).toBe(2);
    expect(share.usable(50)).toBe(2);
  });

  it("is never less than what runs", () => {
    const share = answered(view(5));
    share.inUse = 5;
    share.accept(view(5, { slots: { over: true } }), report(2, 5), 10);
    expect(share.report(20)).toBe(5);
    share.isClosed = true;
    expect(share.report(20)).toBe(5);
    expect(share.report(9_000)).toBe(5);
    share.leftOut();
    expect(share.report(20)).toBe(5);
  });

  it("is claimed in full while it is valid, and for what runs afterwards", () => {
    const share = answered(view(5));
    share.inUse = 2;
    share.leftOut();
    expect(share.claim(4_999)).toBe(5);
    expect(share.claim(5_000)).toBe(2);
    expect(share.held).toBe(2);
  });
});

describe("what a share may use", () => {
  it("is nothing while the store says that more is held than there is", () => {
    const share = answered(view(5));
    expect(share.usable(10)).toBe(5);
    share.accept(view(5, { slots: { over: true } }), report(2, 5), 10);
    expect(share.usable(10)).toBe(0);
    expect(share.offer({ kind: "offer", held: 6, seq: 2, waterLevel: 8, wanted: false }, 2, 10)).toBe(false);
    share.accept(view(5), report(3, 5), 20);
    expect(share.usable(20)).toBe(5);
  });

  it("is nothing after a lower capacity until the store raises, where it keeps no queue", () => {
    const share = answered(view(5, { slots: undefined }), false);
    share.inUse = 3;
    share.accept(view(5, { capacity: 4, slots: undefined }), report(2, 5), 10);
    expect(share.usable(10)).toBe(0);
    expect(share.report(20)).toBe(3);
    share.accept(view(3, { capacity: 4, slots: undefined }), report(3, 3), 20);
    expect(share.usable(20)).toBe(0);
    share.inUse = 1;
    share.accept(view(3, { capacity: 4, slots: undefined }), report(4, 1), 30);
    expect(share.usable(30)).toBe(3);
  });

  it("is nothing past its validity, and an offer does not change that", () => {
    const share = answered(view(5));
    expect(share.usable(5_000)).toBe(0);
    expect(share.offer({ kind: "offer", held: 6, seq: 1, waterLevel: 8, wanted: false }, 1, 5_000)).toBe(false);
    expect(share.held).toBe(5);
  });

  it("is less by what it was asked for, and no less than it is due", () => {
    const share = answered(view(6, { demand: { waterLevel: 2 } }));
    share.inUse = 6;
    share.note(0);
    share.inUse = 5;
    share.ask({ kind: "ask", give: 2, waterLevel: 2 });
    expect(share.usable(10)).toBe(4);
    share.ask({ kind: "ask", give: 9, waterLevel: 2 });
    expect(share.usable(10)).toBe(2);
    expect(share.gives(10)).toBe(true);
    expect(share.report(10)).toBe(5);
  });

  it("is a slot above the water level for one turn", () => {
    const share = answered(view(3, { demand: { tight: true, waterLevel: 2 } }));
    Object.assign(share, { inUse: 3, waiting: 2 });
    share.note(0);
    expect(share.usable(99)).toBe(3);
    expect(share.report(99)).toBe(3);
    expect(share.usable(100)).toBe(2);
    share.inUse = 2;
    expect(share.report(100)).toBe(2);
  });
});

it("slots that were taken again are not idle since before", () => {
  const share = answered(view(2, { demand: { tight: true } }));
  expect(share.isIdle()).toBe(true);
  share.idleSinceMs = 10;
  share.inUse = 1;
  share.note(20);
  expect(share.idleSinceMs).toBe(10);
  share.waiting = 1;
  share.note(30);
  expect(share.idleSinceMs).toBeUndefined();
});

it("validity that ended before it was renewed has ended, although no timer has run", () => {
  const runtime = new VirtualRuntime();
  const share = answered(view(2));
  let lost = 0;
  const validity = new SlotValidity({ runtime, validityMs: 100 }, share, semaphoreEvents("g", "m"), () => {
    lost += 1;
  });
  validity.renew(0);
  expect(share.validUntilMs).toBe(100);
  runtime.jump(101);
  validity.renew(90);
  expect(lost).toBe(1);
  expect(share.validUntilMs).toBe(190);
  validity.cancel();
  expect(runtime.pendingTimers).toBe(0);
});
