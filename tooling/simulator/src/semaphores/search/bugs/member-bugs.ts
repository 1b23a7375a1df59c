import type { CoordinationStore, MemberView, Registration, Report, Semaphore, Slot, View } from "@dt/core";
import { altered } from "../../../altered.ts";
import { over } from "../../../fleet/bugs/seams.ts";
import { isMember } from "../../../requests.ts";
import { TIMES } from "../plan.ts";
import type { SlotProcess } from "../slot-process.ts";
import type { SlotBug } from "./slot-bug.ts";

/** What is changed of a process's requests, and of the answers that it gets. */
interface Lies {
  readonly register?: (registration: Registration) => Registration;
  readonly sync?: (report: Report) => Report;
  readonly answer?: (view: MemberView) => MemberView;
}

/** What its calls take, those included whose signal has fired. */
function running({ calls }: SlotProcess): number {
  return [...calls].reduce((sum, { cost }) => sum + cost, 0);
}

/** Faults of a member: each by what it sends, what it takes of an answer, or what its callers get. */
export const MEMBER_BUGS: readonly SlotBug[] = [
  {
    name: "any-offer-taken",
    what: "an offer counts whatever its seq, also where a newer report has given the slots back",
    store: (store) => {
      let newest = 0;
      const noted = <Said extends Registration | Report>(said: Said): Said => {
        newest = said.seq;
        return said;
      };
      return lying(store, { register: noted, sync: noted, offerSeq: () => newest });
    },
  },
  {
    name: "one-more-than-answered",
    what: "one answer of a hundred counts as one slot more",
    store: (store, { runtime }) =>
      lying(store, {
        answer: (view) =>
          runtime.random() < 0.01 ? { ...view, held: view.held + 1, entitled: view.entitled + 1 } : view,
      }),
  },
  {
    name: "one-less-than-runs",
    what: "one report of fifty says that one less is held than runs",
    store: (store, process) =>
      lying(store, {
        sync: (said) => {
          const inUse = running(process);
          return inUse > 1 && process.runtime.random() < 0.02 ? { ...said, held: inUse - 1 } : said;
        },
      }),
  },
  {
    name: "valid-beyond-the-stale-age",
    what: "slots are used for 14 s after the last heartbeat, and the store gives them away after 10 s",
    from: 60,
    times: { staleAfter: 30_000, validity: 14_000, learning: 30_000 },
    store: (store) =>
      lying(store, {
        register: (said) => ({ ...said, staleAfterMs: TIMES.staleAfter, learningMs: TIMES.staleAfter }),
      }),
  },
  {
    name: "nothing-claimed",
    what: "a member that was forgotten claims nothing of what runs",
    profile: "obeyed",
    from: 400,
    store: (store) => lying(store, { register: (said) => ({ ...said, claim: 0 }) }),
  },
  {
    name: "given-back-and-used",
    what: "a report gives back what lies idle, and until the answer comes it is used all the same",
    store: (store, process) =>
      lying(store, { sync: (said) => ({ ...said, held: Math.min(said.held, running(process)) }) }),
  },
  {
    name: "late-answer-taken",
    what: "an answer that came too late is taken for the answer to the next request",
    store: (store, { runtime }) => {
      let late: View | undefined;
      return altered(store, {
        sync: async (group, member, report, signal) => {
          const earlier = late;
          late = undefined;
          const sentMs = runtime.now();
          const answer = store.sync(group, member, report, signal).then((view) => {
            if (runtime.now() - sentMs > TIMES.storeTimeout) late = view;
            return view;
          });
          return earlier ?? answer;
        },
      });
    },
  },
  {
    name: "over-ignored",
    what: "calls begin while more is held than there is",
    from: 80,
    store: (store) =>
      lying(store, {
        answer: (view) =>
          view.demand?.slots?.over
            ? {
                ...view,
                entitled: view.held,
                demand: { ...view.demand, slots: { ...view.demand.slots, over: false } },
              }
            : view,
      }),
  },
  {
    name: "leaves-while-calls-run",
    what: "a member that is drained leaves at once, and its calls go on",
    store: (store, process) => {
      let last: MemberView | undefined;
      return altered(store, {
        sync: async (group, member, report, signal) => {
          if (process.isDraining && last) {
            await store.deregister(group, member, { seq: report.seq, level: null }, signal);
            return { ...last, held: report.held, entitled: report.held };
          }
          const view = await store.sync(group, member, report, signal);
          last = isMember(view) ? view : undefined;
          return view;
        },
      });
    },
  },
  {
    name: "signal-never-fires",
    what: "a call does not receive that its slot is lost",
    from: 65,
    profile: "obeyed",
    semaphore: (semaphore) =>
      grantingOtherSlots(semaphore, (slot) => over(slot, { signal: new AbortController().signal })),
  },
  {
    name: "second-release-frees-another",
    what: "a slot that is released again frees the slot of another call",
    semaphore: (semaphore) => {
      const open = new Set<Slot>();
      return grantingOtherSlots(semaphore, (slot) => {
        open.add(slot);
        return over(slot, {
          release: () => {
            const [other] = open;
            if (open.delete(slot)) slot.release();
            else if (other) {
              open.delete(other);
              other.release();
            }
          },
        });
      });
    },
  },
  {
    name: "clock-runs-slow",
    what: "the clock of a process shows a third of the time that goes by, so that slots are valid for 16 s",
    from: 60,
    runtime: (runtime) => {
      const startMs = runtime.now();
      return {
        now: () => startMs + (runtime.now() - startMs) / 3,
        random: () => runtime.random(),
        setTimer: (callback, delayMs, options) => runtime.setTimer(callback, delayMs, options),
      };
    },
  },
];

/** A store that sends something else than the process said, or gives another answer or hint than came. */
function lying(store: CoordinationStore, lies: Lies & { readonly offerSeq?: () => number }): CoordinationStore {
  const { register = same, sync = same, answer = same, offerSeq } = lies;
  const told = (view: View): View => (isMember(view) ? answer(view) : view);
  const { onSlotHint } = store;
  return altered(store, {
    register: async (group, said, signal) => told(await store.register(group, register(said), signal)),
    sync: async (group, member, said, signal) => told(await store.sync(group, member, sync(said), signal)),
    ...(onSlotHint &&
      offerSeq && {
        onSlotHint: (group, member, listener, signal) =>
          onSlotHint(
            group,
            member,
            (hint) => listener(hint?.kind === "offer" ? { ...hint, seq: offerSeq() } : hint),
            signal,
          ),
      }),
  });
}

function same<T>(said: T): T {
  return said;
}

/** A semaphore whose callers get other slots than it granted. */
function grantingOtherSlots(semaphore: Semaphore, change: (slot: Slot) => Slot): Semaphore {
  return over(semaphore, {
    acquire: (...said: Parameters<Semaphore["acquire"]>) => semaphore.acquire(...said).then(change),
    tryAcquire: (cost) => {
      const slot = semaphore.tryAcquire(cost);
      return slot && change(slot);
    },
  });
}
