import type { MemberView } from "@dt/core";
import { type Bug, bug } from "./bug.ts";

/** Faults of what a processor holds, and from when. */
export const HOLDING_BUGS: readonly Bug[] = [
  bug("raise-in-same-epoch", "a raise starts an epoch before it may", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override accept(view: MemberView): void {
            super.accept({ ...view, fromEpoch: view.fromEpoch - 1 });
          }
        },
    },
  }),
  bug("raise-without-clock-error", "a raise starts in the next epoch even when clocks may disagree on which that is", {
    "ledger/first-safe-epoch.ts": {
      firstSafeEpoch:
        ({ firstSafeEpoch }) =>
        (storeTimeMs, _aheadMs, intervalMs) =>
          firstSafeEpoch(storeTimeMs, 0, intervalMs),
    },
  }),
  bug("raise-not-reported", "raises still to start are missing from what is reported as held", {
    "consensus/holding-state.ts": {
      mostHeld:
        ({ mostTokens }) =>
        ({ current }) =>
          mostTokens(current),
    },
  }),
  bug("remainder-not-reported", "the token of a remainder is missing from what is reported as held", {
    "consensus/holding-state.ts": {
      mostHeld:
        ({ sureTokens }) =>
        ({ current, raises }) =>
          Math.max(...[current, ...raises.map(({ basis }) => basis)].map(sureTokens)),
    },
  }),
  bug("remainder-kept", "a new generation does not take the token of a remainder away", {
    "consensus/holding-state.ts": {
      lowered: ({ lowered }) => {
        type Basis = Parameters<typeof lowered>[0]["current"];
        const kept = (basis: Basis): Basis =>
          basis.kind === "held" ? basis : { kind: "held", tokens: basis.sure + 1 };
        return (state, limit) => {
          const raises = state.raises.map(({ fromEpoch, basis }) => ({ fromEpoch, basis: kept(basis) }));
          return lowered({ ...state, current: kept(state.current), raises }, limit);
        };
      },
    },
  }),
  bug("kept-raise-hastened", "a new generation starts a raise at once that was still to start", {
    "consensus/holding-state.ts": {
      lowered:
        ({ lowered }) =>
        (before, limit) => {
          const state = lowered(before, limit);
          return { ...state, raises: state.raises.map(({ basis }) => ({ fromEpoch: 0, basis })) };
        },
    },
  }),
  bug("fair-ignored", "a new generation does not lower the share to fair", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override accept(view: MemberView): void {
            super.accept({ ...view, entitled: view.held });
          }
        },
    },
  }),
  bug("split-at-once", "the exact split is used as soon as the answer says agree", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override accept(view: MemberView): void {
            super.accept(view);
            const split = this.state.raises.at(-1)?.basis;
            if (split?.kind === "agreed") this.restore({ ...this.state, raises: [{ fromEpoch: 0, basis: split }] });
          }
        },
    },
  }),
  bug("split-kept-after-unknown", "the remainder and pending raises are claimed after the store lost its data", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override giveUpExtras(): void {}
        },
    },
  }),
  bug("drop-delayed", "a lowered share takes effect when a raise would, but is reported at once", {
    "consensus/holding-state.ts": {
      mostHeld:
        ({ mostTokens }) =>
        ({ current, raises }) =>
          mostTokens(raises.at(-1)?.basis ?? current),
    },
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override accept(view: MemberView): void {
            const { generation, current } = this.state;
            const { entitled, fromEpoch } = view;
            super.accept(view);
            if (view.status === "agree" || view.generation === generation) return;
            const { current: lowered, raises } = this.state;
            const raised = raises.filter(({ basis }) => basis.kind === "held" && basis.tokens === entitled).slice(-1);
            this.restore({ ...this.state, current, raises: [{ fromEpoch: fromEpoch + 1, basis: lowered }, ...raised] });
          }
        },
    },
  }),
];
