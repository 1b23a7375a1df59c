import type { MemberView } from "@dt/core";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
// From the sources: the soak and the model run without a build.
import { isLearning } from "../../../../../packages/core/src/ledger/group-clock.ts";
import { needOf, waterLevel } from "../../../../../packages/core/src/ledger/water-level.ts";
import { type Bug, bug } from "./bug.ts";
import { EXCHANGE_BUGS } from "./exchange-bugs.ts";
import { heartbeats } from "./ledger-bugs.ts";
import type { Breaks } from "./seams.ts";
import { START_BUGS } from "./start-bugs.ts";

/** Faults that show where even shares are divided as well: here shares follow demand. */
const ALSO_BY_DEMAND = [
  "spent-ignored",
  "spent-lowered-by-raises",
  "freed-in-an-older-epoch",
  "growth-unspent",
  "learning-ends-unspent",
  "farewell-of-another",
  "late-answer-accepted",
  "overslept-share-kept",
];

/** Faults of shares that follow demand. */
export const DEMAND_BUGS: readonly Bug[] = [
  ...[...START_BUGS, ...EXCHANGE_BUGS]
    .filter(({ name }) => ALSO_BY_DEMAND.includes(name))
    .map(({ name, what, breaks }) => byDemand(name, `${what}, where shares follow demand`, breaks)),
  byDemand("raise-beyond-free", "a member is raised to what it needs, whatever the others hold", {
    "ledger/demand.ts": {
      demandRaise:
        ({ demandRaise }) =>
        (row, member, ...rest) => {
          const raise = demandRaise(row, member, ...rest);
          return isLearning(row) ? raise : { ...raise, tokens: Math.max(raise.tokens, lack(row, member)) };
        },
    },
  }),
  byDemand("turn-beyond-free", "a member at the level is given a token that takes turns, whether or not one is free", {
    "ledger/demand.ts": {
      demandRaise:
        ({ demandRaise }) =>
        (row, member, ...rest) => {
          const raise = demandRaise(row, member, ...rest);
          const { scarce, level } = waterLevel(row);
          const isDue = scarce && !isLearning(row) && !raise.odd && member.held + raise.tokens === level;
          return isDue ? { tokens: raise.tokens + 1, odd: true } : raise;
        },
    },
  }),
  byDemand("raised-while-learning", "a group that learns raises those that share by demand", {
    "ledger/demand.ts": {
      demandRaise:
        ({ demandRaise }) =>
        (row, ...rest) =>
          demandRaise({ ...row, learnUntilMs: 0 }, ...rest),
    },
  }),
  byDemand("over-ignored", "a member may use all that it holds, also while more is held than there is", {
    "ledger/entitlement.ts": {
      entitlementOf:
        ({ entitlementOf }) =>
        (row, member) =>
          entitlementOf({ ...row, held: member.want === null ? row.held : 0 }, member),
    },
  }),
  byDemand("want-of-the-gone", "what a member wanted that left, or wants no more, is counted still", {
    "ledger/wants.ts": {
      counted:
        ({ counted }) =>
        (wants, want, by) =>
          by < 0 ? wants : counted(wants, want, by),
    },
  }),
  byDemand("adopting", "one that shares by demand adopts generations, as others do", {
    "ledger/ledger.ts": heartbeats((view, { table, incarnation }) => {
      const [group, member] = [table.group(), table.member(incarnation)];
      if (!group || !member || member.want === null || member.generation === group.generation) return view;
      table.putMember({ ...member, generation: group.generation });
      table.putGroup({ ...group, adopted: group.adopted + 1 });
      return view;
    }),
  }),
  byDemand("given-up-and-used", "what is given up with a report is used on until the answer comes", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          #limit = Number.POSITIVE_INFINITY;
          override get held(): number {
            return Math.min(super.held, this.#limit);
          }
          override lower(limit: number): boolean {
            this.#limit = limit;
            return super.held > limit;
          }
          override accept(view: MemberView): void {
            this.#limit = Number.POSITIVE_INFINITY;
            super.accept(view);
          }
        },
    },
  }),
  byDemand("nothing-given-up", "a member keeps all that it holds, whatever others need", {
    "demand/demand-tracker.ts": {
      DemandTracker: ({ DemandTracker }) =>
        class extends DemandTracker {
          override keep(): number {
            return Number.POSITIVE_INFINITY;
          }
        },
    },
  }),
  byDemand("too-much-given-up", "a member keeps half of what it is due", {
    "demand/demand-tracker.ts": {
      DemandTracker: ({ DemandTracker }) =>
        class extends DemandTracker {
          override keep(): number {
            return Math.floor(super.keep() / 2);
          }
        },
    },
  }),
  byDemand("turn-kept-from-the-starving", "a turn goes on to its end, whoever gets too little meanwhile", {
    "demand/demand-tracker.ts": {
      DemandTracker: ({ DemandTracker }) =>
        class extends DemandTracker {
          override heard(view: MemberView, before: number): void {
            super.heard(view.demand ? { ...view, demand: { ...view.demand, hungry: false } } : view, before);
          }
        },
    },
  }),
  byDemand("want-never-told", "a member says that it wants nothing", {
    "demand/want-estimate.ts": {
      WantEstimate: ({ WantEstimate }) =>
        class extends WantEstimate {
          override next(...said: Parameters<InstanceType<typeof WantEstimate>["next"]>): number {
            return Math.min(0, super.next(...said));
          }
        },
    },
  }),
  byDemand("level-too-low", "where tokens are scarce, the level is half of what it should be", {
    "ledger/water-level.ts": {
      waterLevel:
        ({ waterLevel }) =>
        (row) => {
          const found = waterLevel(row);
          return found.scarce ? { ...found, level: Math.floor(found.level / 2) } : found;
        },
    },
  }),
  byDemand("starving-unnoticed", "nobody hears that somebody starves", {
    "ledger/demand.ts": { noteHunger: () => () => undefined },
  }),
];

function byDemand(name: string, what: string, breaks: Breaks): Bug {
  return { ...bug(`demand-${name}`, what, breaks), shares: "demand" };
}

/** What a member that shares by demand holds too little. */
function lack(row: GroupRow, { want, held }: MemberRow): number {
  return want === null ? 0 : Math.max(0, needOf(waterLevel(row), want) - held);
}
