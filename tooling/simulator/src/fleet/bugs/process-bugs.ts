import type { MemberView, View } from "@dt/core";
import { altered } from "../../altered.ts";
import { isMember } from "../../requests.ts";
import type { Bug } from "./bug.ts";
import { lying } from "./seams.ts";

/** Faults of what a process says to the store, and of the answers that it acts on. */
export const PROCESS_BUGS: readonly Bug[] = [
  {
    name: "raise-in-same-epoch",
    what: "a raise starts an epoch before it may",
    store: lying(() => ({ answer: (view) => ({ ...view, fromEpoch: view.fromEpoch - 1 }) })),
  },
  {
    name: "split-at-once",
    what: "the exact split is used as soon as the answer is agree",
    store: lying(() => ({ answer: (view) => (view.status === "agree" ? { ...view, fromEpoch: 0 } : view) })),
  },
  {
    name: "new-generation-at-once",
    what: "what a new generation raises starts at once",
    store: lying(() => {
      let generation = 0;
      return {
        answer: (view) => {
          const isNew = view.generation !== generation;
          generation = view.generation;
          return isNew ? { ...view, fromEpoch: 0 } : view;
        },
      };
    }),
  },
  {
    name: "fair-ignored",
    what: "a new generation does not lower the share to fair",
    store: lying(() => ({ answer: (view) => ({ ...view, entitled: view.held }) })),
  },
  {
    name: "remainder-not-reported",
    what: "the token of a remainder is missing from what is reported as held",
    store: lying(() => ({
      sync: (report) => ({ ...report, held: Math.min(report.held, Math.floor(report.max / report.members)) }),
    })),
  },
  {
    name: "remainder-kept",
    what: "a new generation does not take the token of a remainder away",
    store: lying(() => {
      let agreed = 0;
      return {
        answer: (view, held) => {
          const kept = view.status === "disagree" && held <= agreed ? Math.min(agreed, view.entitled + 1) : 0;
          agreed = view.status === "agree" ? view.held : 0;
          return { ...view, entitled: Math.max(view.entitled, kept) };
        },
      };
    }),
  },
  {
    name: "drop-delayed",
    what: "a lowered share takes effect an answer later, but is reported at once",
    store: lying(() => {
      let said: number | undefined;
      return {
        answer: (view, held) => {
          said = said === undefined && view.entitled < held ? view.entitled : undefined;
          return said === undefined ? view : { ...view, entitled: held };
        },
        sync: (report) => ({ ...report, held: Math.min(report.held, said ?? report.held) }),
      };
    }),
  },
  {
    name: "told-more-than-recorded",
    what: "the answer gives a token more than the store has on record",
    store: lying(() => ({ answer: (view) => ({ ...view, held: view.held + 1, entitled: view.entitled + 1 }) })),
  },
  {
    name: "held-understated",
    what: "a report gives up half of what is held, and all of it is used on",
    store: lying(() => ({ sync: (report) => ({ ...report, held: Math.floor(report.held / 2) }) })),
  },
  {
    name: "split-kept-after-unknown",
    what: "the remainder and pending raises are claimed after the store lost its data",
    store: lying(() => {
      let most = 0;
      let isLost = false;
      return {
        answer: (view) => {
          most = view.held;
          isLost = false;
          return view;
        },
        refused: (view) => {
          isLost = true;
          return view;
        },
        register: (said) => (isLost && said.claim > 0 ? { ...said, claim: Math.max(said.claim, most) } : said),
      };
    }),
  },
  {
    name: "expired-share-revived",
    what: "a share past its validity is used again as soon as the store answers",
    store: lying(() => {
      let last = 0;
      return {
        answer: (view, held) => {
          const told = held === 0 && last > 0 ? { ...view, fromEpoch: 0 } : view;
          last = view.entitled;
          return told;
        },
      };
    }),
  },
  {
    name: "observed-time-not-sent",
    what: "the store is told no time that has come here but the one that it has answered",
    from: 110,
    store: lying(() => {
      let observedMs = 0;
      const heard = <T extends View>(view: T): T => {
        observedMs = view.storeTimeMs;
        return view;
      };
      return {
        answer: heard,
        refused: heard,
        register: (said) => ({ ...said, observedMs }),
        sync: (said) => ({ ...said, observedMs }),
      };
    }),
  },
  {
    name: "late-answer-accepted",
    what: "an answer that comes after its deadline is taken for one to the next request",
    store: (store, runtime) => {
      let late: View | undefined;
      return altered(store, {
        sync: async (...said) => {
          const sentMs = runtime.now();
          const answer = store.sync(...said).then((view) => {
            if (isMember(view) && runtime.now() - sentMs > LATE_MS) late = view;
            return view;
          });
          const before = late;
          late = undefined;
          return before ?? answer;
        },
      });
    },
  },
  {
    name: "sequence-stands-still",
    what: "reports carry the number of the registration",
    store: lying(() => {
      let last = 0;
      return {
        register: (said) => {
          last = said.seq;
          return said;
        },
        sync: (said) => ({ ...said, seq: last }),
      };
    }),
  },
  {
    name: "rejoin-forgotten",
    what: "a process that comes back says that it is new",
    from: 270,
    store: lying(() => ({ register: (said) => ({ ...said, rejoin: false }) })),
  },
  {
    name: "fenced-goes-on",
    what: "a process that is fenced hears what it heard before",
    store: lying(() => {
      let last: MemberView | undefined;
      return {
        answer: (view) => {
          last = view;
          return view;
        },
        refused: (view) => (last ? { ...last, storeTimeMs: view.storeTimeMs } : view),
      };
    }),
  },
];

/** Longer than a deadline of the simulator's plans. */
const LATE_MS = 1_000;
