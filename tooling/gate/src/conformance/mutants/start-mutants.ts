import type { Farewell, MemberView, Report, Use, View } from "@dt/core";
import { firstSafeEpoch, type GroupRow } from "@dt/core/ledger";
import { altered } from "./altered.ts";
import { answering } from "./answering.ts";
import { type Flaw, type Mutant, mutant, type Operation, type Proceed } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { newestEpoch, patchGroup } from "./rows.ts";

/** More than anybody holds. */
const ALL = 1e9;

/** R20: from when what a member is given may be used, and what becomes free by what it says of its use. */
export const startMutants: readonly Mutant[] = [
  mutant(
    "what is answered may be used in the epoch that has begun",
    "R20",
    starting(({ storeTimeMs }, intervalMs) => firstSafeEpoch(storeTimeMs, 0, intervalMs) - 1),
  ),
  mutant(
    "what is answered may be used in the next epoch, however far clocks may be off",
    "R20",
    starting(({ storeTimeMs }, intervalMs) => firstSafeEpoch(storeTimeMs, 0, intervalMs)),
  ),
  mutant(
    "what is answered may be used when the member's own clock error is over, not the group's",
    "R20",
    starting(({ storeTimeMs }, intervalMs, { table, ref }) =>
      firstSafeEpoch(storeTimeMs, table.member(ref.incarnation)?.clockErrorMs ?? 0, intervalMs),
    ),
  ),
  mutant(
    "the epoch from which it may be used is that of the server's clock, not of the group's time",
    "R20",
    starting(({ clockErrorMs }, intervalMs, { nowMs }) => firstSafeEpoch(nowMs, clockErrorMs, intervalMs)),
  ),
  mutant(
    "the epoch from which it may be used is counted in seconds, whatever the interval",
    "R20",
    starting(({ storeTimeMs, clockErrorMs }) => firstSafeEpoch(storeTimeMs, clockErrorMs, 1_000)),
  ),
  mutant(
    "the epoch from which it may be used is a time in milliseconds",
    "R20",
    starting(({ storeTimeMs, clockErrorMs }) => Math.floor(storeTimeMs + clockErrorMs) + 1),
  ),
  mutant(
    "what is answered may be used from the first epoch that nobody can have begun, whatever became free",
    "R20",
    starting(({ storeTimeMs, clockErrorMs }, intervalMs) => firstSafeEpoch(storeTimeMs, clockErrorMs, intervalMs)),
  ),
  mutant(
    "no freed token starts before the next epoch",
    "R20",
    answering(() => ({ early: 0 })),
  ),
  mutant(
    "all that a member is entitled to is said to be new",
    "R20",
    answering(({ entitled }) => ({ early: entitled })),
  ),
  mutant("freed tokens start at once, whoever used them", "R20", before(unspend)),
  mutant("what became free is not stored", "R20", {
    table: class extends PlainTable {
      override group(): GroupRow | undefined {
        const row = super.group();
        return row && { ...row, freedEpoch: null };
      }
    },
  }),
  mutant("what a report says of its use is ignored", "R20", {
    sync: ({ request }, proceed) => proceed(withUse(request, undefined)),
  }),
  mutant("what a farewell says of its use is ignored", "R20", {
    deregister: ({ request }, proceed) => proceed(withUse(request, undefined)),
  }),
  mutant("a farewell counts what it used as kept", "R20", {
    deregister: ({ request }, proceed) => proceed(withUse(request, request.use && { ...request.use, used: 0 })),
  }),
  mutant("a report that says nothing of its use spends nothing", "R20", {
    sync: (operation, proceed) => proceed(withoutWord(operation, (epoch) => ({ epoch, used: 0 }))),
  }),
  mutant("a farewell that says nothing of its use spends nothing", "R20", {
    deregister: (operation, proceed) => proceed(withoutWord(operation, (epoch) => ({ epoch, used: 0 }))),
  }),
  mutant("what a report says nothing of was used by the store's clock, however far clocks may be off", "R20", {
    sync: (operation, proceed) => proceed(withoutWord(operation, (_, epoch) => ({ epoch, used: ALL }))),
  }),
  mutant("what was used were first the tokens that are given up", "R20", {
    sync: ({ request }, proceed) =>
      proceed(withUse(request, request.use && { ...request.use, used: request.use.used + request.held })),
  }),
  mutant("a member that used more than it had spends the tokens of others", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      if (request.use && request.held < held) spend(table, Math.max(0, request.use.used - held));
      return view;
    },
  }),
  mutant("what was used in an epoch that is over counts in the newer one", "R20", {
    sync: ({ table }, proceed) => {
      const last = table.group();
      const view = proceed();
      const isNewer = (table.group()?.freedEpoch ?? 0) > (last?.freedEpoch ?? 0);
      if (last && isNewer && last.spent < ALL) spend(table, last.spent);
      return view;
    },
  }),
  mutant("what was given up in an older epoch counts in the newer one", "R20", {
    sync: ({ table, request }, proceed) => {
      const freedEpoch = table.group()?.freedEpoch ?? 0;
      const { use } = request;
      return proceed(withUse(request, use && { ...use, epoch: Math.max(use.epoch, freedEpoch) }));
    },
  }),
  mutant("an older epoch takes the place of a newer one", "R20", {
    sync: ({ table, request }, proceed) => {
      const { use } = request;
      if (use) patchGroup(table, ({ freedEpoch }) => ({ freedEpoch: freedEpoch && Math.min(freedEpoch, use.epoch) }));
      return proceed();
    },
  }),
  mutant("what was used counts in the store's epoch, and not in the one that the report names", "R20", {
    sync: (operation, proceed) => {
      const { request, table } = operation;
      if (!request.use || !table.row) return proceed();
      return proceed(withUse(request, { ...request.use, epoch: newestEpoch(operation) }));
    },
  }),
  mutant("an epoch that nobody can have begun is believed", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      const { use } = request;
      if (use && request.held < held)
        patchGroup(table, ({ freedEpoch }) => ({ freedEpoch: freedEpoch && Math.max(freedEpoch, use.epoch) }));
      return view;
    },
  }),
  mutant("a report that gives up nothing spends what it used", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      if (request.use && request.held >= held) spend(table, request.use.used);
      return proceed();
    },
  }),
  mutant("a late report spends what it used", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const member = table.member(ref.incarnation);
      if (member && request.use && request.seq <= member.seq)
        spend(table, Math.max(0, request.use.used - request.held));
      return proceed();
    },
  }),
  mutant("what was given to somebody again counts as used no more", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      const raised = (table.member(ref.incarnation)?.held ?? 0) - Math.min(held, request.held);
      patchGroup(table, ({ spent }) => ({ spent: Math.max(0, spent - Math.max(0, raised)) }));
      return view;
    },
  }),
  mutant("a use that makes no sense is ignored, instead of refused", "R20", {
    wrap: (store) =>
      altered(store, {
        sync: (group, member, report, signal) =>
          store.sync(group, member, withUse(report, isUse(report.use) ? report.use : undefined), signal),
      }),
  }),
];

type Uses = Pick<Report, "use"> & Pick<Farewell, "observedMs">;

function withUse<Request extends Uses>(request: Request, use: Use | undefined): Request {
  const { use: _, ...rest } = request;
  return { ...rest, ...(use && { use }) } as Request;
}

/** A request that said nothing of its use says it of the newest epoch, or of the one that the store's clock is in. */
function withoutWord<Request extends Uses>(
  operation: Operation<Request>,
  use: (newest: number, epoch: number) => Use,
): Request {
  const { table, request, nowMs } = operation;
  if (request.use || !table.row) return request;
  const timeMs = Math.max(table.row.lastMs, nowMs, request.observedMs ?? 0);
  return withUse(request, use(newestEpoch(operation), Math.floor(timeMs / table.row.intervalMs)));
}

/** Something is done to the rows before each registration and report. */
function before(change: (table: PlainTable) => void): Flaw {
  const run = <Request>({ table }: Operation<Request>, proceed: Proceed<Request, View>): View => {
    change(table);
    return proceed();
  };
  return { register: run, sync: run };
}

function unspend(table: PlainTable): void {
  patchGroup(table, () => ({ spent: 0 }));
}

function spend(table: PlainTable, tokens: number): void {
  patchGroup(table, ({ spent }) => ({ spent: spent + tokens }));
}

function isUse(use: unknown): use is Use {
  const { epoch, used } = (use ?? {}) as Partial<Use>;
  return [epoch, used].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= 1e12,
  );
}

function starting(fromEpoch: (view: MemberView, intervalMs: number, operation: Operation<Uses>) => number): Flaw {
  return answering((view, operation) => ({
    fromEpoch: fromEpoch(view, operation.table.group()?.intervalMs ?? 0, operation),
  }));
}
