import type { MemberView, Use, View } from "@dt/core";
import { isMember } from "@dt-tooling/simulator/requests";
import { accept, reportedHeld } from "./flawed-holding.ts";
import { isValid } from "./grants.ts";
import { type Call, NEVER, type Process, type Request, type Setting, type World } from "./world.ts";

/**
 * The member's side around the real `Holding`: a transcription of `packages/core/src/consensus/exchange.ts` (what is
 * said, and what follows from the answers), without timers and I/O. A test replays random runs of the model against the
 * real class.
 */

/** What a member says that it wants, and how much it keeps of what it holds (`DemandTracker.declare`, `keep`). */
export interface Wish {
  readonly want: number | null;
  readonly keep: number;
}

const EVENLY: Wish = { want: null, keep: Number.POSITIVE_INFINITY };

/**
 * Every wish that a process may have when it calls. One that shares by demand may want nothing, little or more than
 * there is, and give up any part of what it holds in a report: whatever its estimates come to, it is one of these.
 */
export function wishesOf(world: World, setting: Setting, process: Process): readonly Wish[] {
  if (!process.byDemand) return [EVENLY];
  const reports = process.stage === "member" && isValid(world, setting, process);
  const most = reports ? process.holding.held : 0;
  return [...new Set([setting.bounds.max + 1, 1, 0])].flatMap((want) => [
    { want, keep: Number.POSITIVE_INFINITY },
    ...Array.from({ length: most }, (_, keep) => ({ want, keep })),
  ]);
}

/** `Exchange.register`, `sync` and `#validlyHeld`: a call begins. It replaces `process.call`. */
export function send(world: World, setting: Setting, process: Process, { want, keep }: Wish = EVENLY): Call {
  const before = process.holding.state;
  if (process.stage === "member") process.holding.lower(keep);
  const held =
    isValid(world, setting, process) || setting.flaw === "expired-share-claimed"
      ? reportedHeld(process.holding, setting.flaw)
      : 0;
  const kind = process.stage === "member" ? "sync" : "register";
  if (setting.flaw !== "sequence-stands-still" || kind === "register") process.seq += 1;
  const { seq, max } = process;
  if (setting.flaw === "given-up-in-use") process.holding.restore(before);
  const said =
    kind === "sync"
      ? { generation: before.generation, rejoin: false, use: useOf(process, setting) }
      : { generation: 0, rejoin: before.generation > 0, use: undefined };
  process.stage = kind === "sync" ? "member" : "outside";
  const request: Request = { kind, seq, held, max, want, ...said };
  const call: Call = { request, sentTick: world.tick, answer: undefined };
  process.call = call;
  if (setting.flaw === "spent-without-an-answer" && request.use)
    process.charged = Math.min(process.charged, process.holding.held);
  return call;
}

/** The answer comes in time and is acted on (`Exchange.#roundTrip` and `Membership.#call`). */
export function receive(world: World, setting: Setting, process: Process): void {
  const { answer, request, sentTick } = process.call as Call;
  const view = answer as View;
  process.call = undefined;
  if (!isMember(view)) {
    // `Membership.#call`: a registration follows, which may come at once or later here.
    if (setting.flaw !== "extras-claimed") process.holding.giveUpExtras();
    process.stage = "outside";
    return;
  }
  // A share that ended before the answer came may have been given to others, and given back since: all that is answered
  // is a raise.
  const ended = !isValid(world, setting, process);
  if (ended && setting.flaw !== "expired-share-revived") process.holding.clear();
  // But for what was claimed: the store took that for a fact which it was no more.
  const flawed = setting.flaw === "ended-claim-raised" || setting.flaw === "expired-share-claimed";
  const claimed = claims(request) && !flawed;
  process.stage = "member";
  discharge(process, spentOf(process.epoch, request, view), setting);
  process.renewedTick = setting.flaw === "validity-from-receive" ? world.tick : sentTick;
  accept(process.holding, ended && claimed ? withoutClaim(view) : view, setting.flaw);
}

/** The same in `Exchange`. */
function withoutClaim(view: MemberView): MemberView {
  return view.status === "agree" ? view : { ...view, held: 0, entitled: 0, early: 0 };
}

/** `Allowance.use`. Who never asked has used nothing in any epoch. */
export function useOf({ epoch, charged }: Process, { flaw }: Setting): Use {
  if (epoch === NEVER) return { epoch: 0, used: 0 };
  return { epoch, used: flaw === "use-not-told" ? 0 : charged };
}

/**
 * Of what was used in the epoch that the process counts in, as much counts as spent for all as is beyond what it held,
 * and what the store has on record (`Exchange.#spend`, `Allowance.discharge`).
 */
export function spentOf(epoch: number, { use, held }: Request, view: MemberView): number {
  return use?.epoch === epoch ? Math.max(0, use.used - Math.max(held, view.held)) : 0;
}

function discharge(process: Process, spent: number, { flaw }: Setting): void {
  process.charged = Math.max(0, process.charged - (flaw === "spent-twice" ? 2 : 1) * spent);
}

export function claims({ kind, held }: Request): boolean {
  return kind === "register" && held > 0;
}
