import type { DemandView, MemberView, Registration, Report } from "@dt/core";
import { divide, type GroupRow, type MemberRow, needOf } from "@dt/core/ledger";
import type { Bug } from "./bug.ts";
import { LEDGER_BUGS } from "./ledger-bugs.ts";
import { PROCESS_BUGS } from "./process-bugs.ts";
import { type Heartbeat, heartbeats, holding, lying, onRows, storing } from "./seams.ts";
import { USE_BUGS } from "./use-bugs.ts";

/** Faults that show where even shares are divided as well: here shares follow demand. */
const ALSO_BY_DEMAND = [
  "spent-ignored",
  "spent-lowered-by-raises",
  "freed-in-an-older-epoch",
  "growth-unspent",
  "late-answer-accepted",
  "held-understated",
];

const OWN: readonly Bug[] = [
  {
    name: "raise-beyond-free",
    what: "a member is raised to its need, whatever the others hold",
    ledger: raising((row, member) => lack(row, member)),
  },
  {
    name: "turn-beyond-free",
    what: "a member at the water level is given a token that takes turns, whether or not one is free",
    ledger: raising((row, { held, odd }) => {
      const { scarce, waterLevel } = divide(row);
      return scarce && !odd && held === waterLevel ? 1 : 0;
    }),
  },
  {
    name: "raised-while-learning",
    what: "a group that learns raises those that share by demand",
    ledger: onRows((table) => ({
      group: () => {
        const row = table.group();
        return row && { ...row, learnUntilMs: 0 };
      },
    })),
  },
  {
    name: "over-ignored",
    what: "a member may use all that it holds, also while more is held than there is",
    from: 300,
    ledger: heartbeats((view) => (view.demand ? { ...view, entitled: view.held } : view)),
  },
  {
    name: "want-of-the-gone",
    what: "what a member wanted that left is counted still",
    ledger: (ledger) => ({
      ...ledger,
      deregister: (table, ...said) => storing((_, { wants }) => ({ wants }))(ledger).deregister(table, ...said),
    }),
  },
  {
    name: "adopting",
    what: "one that shares by demand adopts generations, as others do",
    ledger: heartbeats((view, { table, incarnation }) => {
      const [group, member] = [table.group(), table.member(incarnation)];
      if (!group || !member || member.want === null || member.generation === group.generation) return view;
      table.putMember({ ...member, generation: group.generation });
      table.putGroup({ ...group, adopted: group.adopted + 1 });
      return view;
    }),
  },
  {
    name: "nothing-given-up",
    what: "a report says that all is still held, whatever is given up",
    store: lying(() => {
      let last = 0;
      return {
        answer: (view) => {
          last = view.entitled;
          return view;
        },
        sync: (report) => ({ ...report, held: report.held === 0 ? 0 : Math.max(report.held, last) }),
      };
    }),
  },
  {
    name: "want-never-told",
    what: "a member says that it wants nothing",
    store: lying(() => ({ register: wantingNothing, sync: wantingNothing })),
  },
  {
    name: "level-too-low",
    what: "where tokens are scarce, members hear of half the water level",
    store: lying(() => ({
      answer: hearing(({ waterLevel, tight }) => (tight ? { waterLevel: Math.floor(waterLevel / 2) } : {})),
    })),
  },
];

/** Faults of shares that follow demand. */
export const DEMAND_BUGS: readonly Bug[] = [
  ...[...USE_BUGS, ...PROCESS_BUGS, ...LEDGER_BUGS]
    .filter(({ name }) => ALSO_BY_DEMAND.includes(name))
    .map((bug) => ({ ...bug, what: `${bug.what}, where shares follow demand` })),
  ...OWN,
].map((bug) => ({ ...bug, name: `demand-${bug.name}`, shares: "demand" }));

/** A fault of shares that follow demand that no caller ever sees: for the model, which looks at the ledger's rows. */
export const OWN_TOKENS_FREE: Bug = {
  name: "demand-own-tokens-free",
  what: "what the asking member holds itself counts as free",
  shares: "demand",
  ledger: raising((row, member) => Math.min(lack(row, member), Math.max(0, row.capacity - row.held + member.held))),
};

/** Members that share by demand are raised by more than is due, unless the group learns. */
function raising(more: (row: GroupRow, member: MemberRow) => number): NonNullable<Bug["ledger"]> {
  return heartbeats((view, beat: Heartbeat) => {
    const [row, member] = [beat.table.group(), beat.table.member(beat.incarnation)];
    if (!row || !member || member.want === null || view.learning) return view;
    const tokens = more(row, member);
    return tokens > 0 ? holding(view, beat, view.held + tokens) : view;
  });
}

/** What a member that shares by demand holds too little. */
function lack(row: GroupRow, { want, held }: MemberRow): number {
  return want === null ? 0 : Math.max(0, needOf(divide(row), want) - held);
}

function hearing(change: (demand: DemandView) => Partial<DemandView>): (view: MemberView) => MemberView {
  return (view) => (view.demand ? { ...view, demand: { ...view.demand, ...change(view.demand) } } : view);
}

function wantingNothing<Said extends Registration | Report>(said: Said): Said {
  return said.demand ? { ...said, demand: { ...said.demand, want: 0 } } : said;
}
