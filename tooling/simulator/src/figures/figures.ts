import { type Recording, record } from "./record.ts";
import { crash, cutOff, demand, handover, type Scene } from "./scene.ts";
import { type Table, type Timeline, timelineSvg } from "./timeline.ts";

/** What a crash is drawn with: both are what a throttle has by default. */
export const VALIDITY_MS = 6_750;
export const STALE_AFTER_MS = 10_000;

/** The figures of docs/how-it-works.md, by file name: played anew, and drawn. */
export async function figures(): Promise<Readonly<Record<string, string>>> {
  return {
    "how-handover.svg": timelineSvg(handoverTimeline(await record(handover))),
    "how-crash.svg": timelineSvg(crashTimeline(crash, await record(crash), await record(cutOff))),
    "how-demand.svg": timelineSvg(demandTimeline(demand, await record(demand))),
  };
}

/** A third process joins, and the first one leaves. */
export function handoverTimeline(run: Recording): Timeline {
  const [a, b, c] = [0, 1, 2];
  const joins = when(run, ({ members }) => members === 3);
  const first = when(run, ({ held }) => sum(held) < run.max, joins);
  const raised = when(run, ({ held }) => (held[c] ?? 0) > 0);
  const even = when(run, ({ held }) => held.every((tokens) => tokens === run.max / 3));
  const leaves = when(run, ({ members }) => members === 2, even);
  const taken = when(run, ({ held }) => sum(held) === run.max, leaves);
  const at = (ms: number) => stateAt(run, ms);
  const given = (at(joins)[b] ?? 0) - (at(first)[b] ?? 0);
  return {
    ...common(run),
    id: "how-handover",
    title: `Tokens change hands: a limit of ${run.max} a second`,
    subtitle: "Area: tokens that the ledger records for each process",
    slices: run.ledger.map(({ atMs, held }) => ({ atMs, tokens: held })),
    spans: [],
    tables: [granted(run, "Calls in each second")],
    steps: [
      { atMs: joins, text: `C joins. A and B hold all ${run.max} tokens, so C holds none.` },
      { atMs: first, text: `B syncs and gives up ${given}, from the next second on.` },
      { atMs: raised, text: `C syncs and receives ${at(raised)[c]}. A syncs a moment later and gives up ${given}.` },
      { atMs: even, text: `C receives the rest. Each holds ${at(even)[a]}.` },
      { atMs: leaves, text: "A leaves, and its tokens are free at once." },
      { atMs: taken, text: `B and C have synced. Each holds ${at(taken)[b]}.` },
    ],
  };
}

/** A process crashes; beside it, the same process cut off from the store. */
export function crashTimeline(scene: Scene, run: Recording, cut: Recording): Timeline {
  const process = scene.actors.findIndex(({ ends }) => ends !== undefined);
  const crashMs = scene.actors[process]?.ends?.atMs ?? Number.NaN;
  const syncMs = run.lastSyncMs[process] ?? Number.NaN;
  const removedMs = when(run, ({ members }) => members < run.names.length);
  const evenMs = when(run, ({ held }) => sum(held) === run.max, removedMs);
  return {
    ...common(run),
    id: "how-crash",
    title: "A crash: tokens return after the stale age",
    subtitle: "Area: tokens that the ledger records for each process",
    slices: run.ledger.map(({ atMs, held }) => ({ atMs, tokens: held })),
    lost: { process, fromMs: crashMs },
    spans: [
      { fromMs: syncMs, toMs: syncMs + VALIDITY_MS, label: `validity, ${VALIDITY_MS / 1_000} s` },
      { fromMs: syncMs, toMs: syncMs + STALE_AFTER_MS, label: `stale age, ${STALE_AFTER_MS / 1_000} s` },
    ],
    tables: [granted(run, "Calls in each second"), granted(cut, "Calls where C does not crash, but loses the store")],
    steps: [
      { atMs: syncMs, text: "C syncs for the last time." },
      { atMs: crashMs, text: "C crashes. The ledger still records its tokens." },
      {
        atMs: syncMs + VALIDITY_MS,
        text: "The validity of C is over. A process that lost only the store stops by now.",
      },
      {
        atMs: removedMs,
        text: `The first sync after the stale age removes C. Each of the others holds ${stateAt(run, evenMs)[0]}.`,
      },
    ],
  };
}

/** One process is busy, then two, then the other one. */
export function demandTimeline(scene: Scene, run: Recording): Timeline {
  const [a = [], b = [], c = []] = run.granted;
  const [busyMs, calmMs] = [1, 0].map((place) => scene.actors[place]?.wants[1]?.fromMs ?? Number.NaN) as [
    number,
    number,
  ];
  const evenMs = 1_000 * a.findIndex((own, second) => second * 1_000 > busyMs && own === b[second]);
  const restMs = 1_000 * b.findIndex((own, second) => second * 1_000 > calmMs && own >= (a[0] ?? 0) - 2);
  const at = (of: readonly number[], ms: number): number => of[ms / 1_000] ?? 0;
  return {
    ...common(run),
    id: "how-demand",
    title: `Shares follow demand: a limit of ${run.max} a second`,
    subtitle: "Area: calls that each process makes in each second",
    slices: a.map((_, second) => ({ atMs: second * 1_000, tokens: run.granted.map((own) => own[second] ?? 0) })),
    spans: [],
    tables: [granted(run, "Calls in each second")],
    steps: [
      { atMs: 0, text: "A has calls that wait. B and C want 2 a second each, and A gets the rest." },
      { atMs: busyMs, text: "B has calls that wait, too. It reports that with its next sync." },
      { atMs: evenMs, text: `A and B get the same: ${at(a, evenMs)} each. C gets the ${at(c, evenMs)} that it wants.` },
      { atMs: calmMs, text: "A has little to do from now on. Its calls that wait are still made." },
      { atMs: restMs, text: `B gets what A leaves: ${at(b, restMs)} of ${run.max}.` },
    ],
  };
}

function common({ max, untilMs, names }: Recording) {
  return { max, seconds: untilMs / 1_000, names };
}

function granted(run: Recording, label: string): Table {
  const seconds = Array.from({ length: run.untilMs / 1_000 }, (_, second) => second);
  const all = seconds.map((second) => sum(run.granted.map((own) => own[second] ?? 0)));
  return {
    label,
    rows: [
      ...run.names.map((name, place) => ({ label: name, cells: run.granted[place] ?? [] })),
      { label: "all", cells: all },
    ],
  };
}

/** When the ledger first was so, from a time on. */
function when({ ledger }: Recording, is: (state: Recording["ledger"][number]) => boolean, fromMs = 0): number {
  const found = ledger.find((state) => state.atMs >= fromMs && is(state));
  if (!found) throw new Error("the recording has no such moment: look at the scene");
  return found.atMs;
}

function stateAt({ ledger }: Recording, atMs: number): readonly number[] {
  return ledger.findLast((state) => state.atMs <= atMs)?.held ?? [];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
