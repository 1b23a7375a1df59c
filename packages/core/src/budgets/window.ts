import type { LimitRow } from "./budget-table.ts";

/** A window has so many slots: a charge counts for at most one slot longer than a window. */
export const SLOTS = 240;

/** Forgets the slots that are older than a window. */
export function prune(limit: LimitRow, nowMs: number): void {
  let over = 0;
  while (over < limit.slots.length && leavesMs(limit, over) <= nowMs) over += 1;
  if (over === 0) return;
  limit.slots.splice(0, over);
  limit.units.splice(0, over);
}

/** Units charged in the window that ends now, and ahead. */
export function spentOf(limit: LimitRow): number {
  let spent = 0;
  for (const units of limit.units) spent += units;
  return spent;
}

/** When the last charge leaves the window; 0 where there is none. */
export function emptyAtMs(limit: LimitRow): number {
  return limit.slots.length === 0 ? 0 : leavesMs(limit, limit.slots.length - 1);
}

/** Units in the fullest of the windows that hold an instant. */
export function fullestAt(limit: LimitRow, atMs: number): number {
  const { slots, units } = limit;
  const slot = Math.floor(atMs / widthMs(limit));
  let [fullest, held, first] = [0, 0, 0];
  for (const [place, last] of slots.entries()) {
    if (last > slot + SLOTS) break;
    held += units[place] as number;
    for (; first <= place && (slots[first] as number) < Math.max(last, slot) - SLOTS; first++)
      held -= units[first] as number;
    fullest = Math.max(fullest, held);
  }
  return fullest;
}

/**
 * When a charge has room in every window that holds it: 0 for at once. A charge that fits beside everything that is
 * reserved ahead may come before it. Any other one comes after it, when enough has left the window.
 */
export function roomAt(limit: LimitRow, cost: number, most: number): number {
  let spent = spentOf(limit);
  if (spent + cost <= most) return 0;
  let atMs = limit.latestMs;
  for (let place = 0; place < limit.units.length && spent + cost > most; place++) {
    spent -= limit.units[place] as number;
    atMs = Math.max(atMs, leavesMs(limit, place));
  }
  return atMs;
}

/** Charges units at an instant. */
export function charge(limit: LimitRow, atMs: number, units: number): void {
  add(limit, Math.floor(atMs / widthMs(limit)), units);
}

/** The place of the slot that holds an instant, or -1 where it is older than a window. */
export function placeOf(limit: LimitRow, atMs: number): number {
  return limit.slots.indexOf(Math.floor(atMs / widthMs(limit)));
}

/** Gives a limit another window. What was charged leaves it no earlier than a window of the new length later. */
export function resize(limit: LimitRow, windowMs: number): void {
  if (limit.windowMs === windowMs) return;
  const { slots, units } = limit;
  const oldMs = widthMs(limit);
  limit.windowMs = windowMs;
  limit.slots = [];
  limit.units = [];
  for (const [place, slot] of slots.entries())
    add(limit, Math.ceil(((slot + 1) * oldMs) / widthMs(limit)) - 1, units[place] as number);
}

function add(limit: LimitRow, slot: number, units: number): void {
  let place = limit.slots.length;
  while (place > 0 && (limit.slots[place - 1] as number) > slot) place -= 1;
  if (place > 0 && limit.slots[place - 1] === slot) {
    limit.units[place - 1] = (limit.units[place - 1] as number) + units;
    return;
  }
  limit.slots.splice(place, 0, slot);
  limit.units.splice(place, 0, units);
}

/** When the charges of a slot leave the window: a window after its end. */
function leavesMs(limit: LimitRow, place: number): number {
  return ((limit.slots[place] as number) + 1 + SLOTS) * widthMs(limit);
}

function widthMs({ windowMs }: LimitRow): number {
  return windowMs / SLOTS;
}
