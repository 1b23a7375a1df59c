import type { Farewell, MemberView, Report, Use, View } from "@dt/core";
import { firstSafeEpoch } from "@dt/core/ledger";
import { answering } from "./answering.ts";
import { type Flaw, type Mutant, mutant, type Operation, type Proceed } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { newestEpoch, patchGroup } from "./rows.ts";

/** R20: from when what a member is given may be used, and what becomes free by what it says of its use. */
export const startMutants: readonly Mutant[] = [
  mutant(
    "what is answered may be used in the epoch that has begun",
    "R20",
    starting(({ storeTimeMs }, intervalMs) => firstSafeEpoch(storeTimeMs, 0, intervalMs) - 1),
  ),
  mutant("freed tokens start at once, whether or not they were used", "R20", before(unspend)),
  mutant("a farewell counts used tokens as kept", "R20", {
    deregister: ({ request }, proceed) => proceed(withUse(request, request.use && { ...request.use, used: 0 })),
  }),
  mutant("a farewell without a report of its use spends nothing", "R20", {
    deregister: (operation, proceed) => proceed(withoutWord(operation, (epoch) => ({ epoch, used: 0 }))),
  }),
  mutant("an older epoch takes the place of a newer one", "R20", {
    sync: ({ table, request }, proceed) => {
      const { use } = request;
      if (use) patchGroup(table, ({ freedEpoch }) => ({ freedEpoch: freedEpoch && Math.min(freedEpoch, use.epoch) }));
      return proceed();
    },
  }),
  mutant("what was given to a member again counts as used no more", "R20", {
    sync: ({ table, ref, request }, proceed) => {
      const held = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      const raised = (table.member(ref.incarnation)?.held ?? 0) - Math.min(held, request.held);
      patchGroup(table, ({ spent }) => ({ spent: Math.max(0, spent - Math.max(0, raised)) }));
      return view;
    },
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

function starting(fromEpoch: (view: MemberView, intervalMs: number, operation: Operation<Uses>) => number): Flaw {
  return answering((view, operation) => ({
    fromEpoch: fromEpoch(view, operation.table.group()?.intervalMs ?? 0, operation),
  }));
}
