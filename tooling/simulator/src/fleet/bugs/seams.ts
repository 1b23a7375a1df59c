import type { CoordinationStore, Farewell, MemberView, Registration, Report, Runtime, View } from "@dt/core";
import type { GroupRow, LedgerTable } from "@dt/core/ledger";
import { altered } from "../../altered.ts";
import { isMember } from "../../requests.ts";
import type { Bug, Ledger } from "./bug.ts";

/** What is changed of a process's requests, and of the answers that it gets. */
interface Lies {
  readonly register?: (registration: Registration) => Registration;
  readonly sync?: (report: Report) => Report;
  readonly deregister?: (farewell: Farewell) => Farewell;
  /** @param held what the process reported or claimed with the request */
  readonly answer?: (view: MemberView, held: number) => View;
  readonly refused?: (view: View) => View;
}

/** A store that sends something else than the process said, or gives another answer than came. */
export function lying(lies: (runtime: Runtime) => Lies): NonNullable<Bug["store"]> {
  return (store, runtime): CoordinationStore => {
    const { register = same, sync = same, deregister = same, answer = same, refused = same } = lies(runtime);
    const told = (view: View, held: number): View => (isMember(view) ? answer(view, held) : refused(view));
    return altered(store, {
      register: async (group, said, signal) => {
        const { claim } = said;
        return told(await store.register(group, register(said), signal), claim);
      },
      sync: async (group, member, said, signal) => {
        const { held } = said;
        return told(await store.sync(group, member, sync(said), signal), held);
      },
      deregister: (group, member, said, signal) => store.deregister(group, member, deregister(said), signal),
    });
  };
}

function same<T>(said: T): T {
  return said;
}

/** A ledger on rows that are not what they should be. */
export function onRows(change: (table: LedgerTable) => Partial<LedgerTable>): NonNullable<Bug["ledger"]> {
  const wrong = (table: LedgerTable): LedgerTable => over(table, change(table));
  return ({ register, sync, deregister }) => ({
    register: (table, ...said) => register(wrong(table), ...said),
    sync: (table, ...said) => sync(wrong(table), ...said),
    deregister: (table, ...said) => deregister(wrong(table), ...said),
  });
}

/** Rows whose group's row is stored with another value than the ledger gave it, unless it is new. */
export function storing(change: (row: GroupRow, before: GroupRow) => Partial<GroupRow>): NonNullable<Bug["ledger"]> {
  return onRows((table) => ({
    putGroup: (row) => {
      const before = table.group();
      table.putGroup(before ? { ...row, ...change(row, before) } : row);
    },
  }));
}

/** The table with some of its methods replaced. */
export function over<Table extends object>(table: Table, changed: Partial<Table>): Table {
  return new Proxy(table, {
    get: (target, name) => {
      if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** A registration or a report that was taken for a member's. */
export interface Heartbeat {
  readonly table: LedgerTable;
  readonly incarnation: string;
  /** What it held before it was raised, if it was. */
  readonly unraised: number;
  /** A member was there already, and this was news of it. */
  readonly isReport: boolean;
}

/** The real operations, and then what `spoil` makes of the rows and of the answer. */
export function heartbeats(spoil: (view: MemberView, beat: Heartbeat) => MemberView): NonNullable<Bug["ledger"]> {
  const spoiled = (
    table: LedgerTable,
    incarnation: string,
    said: { readonly seq: number; readonly held: number },
    run: () => View,
  ): View => {
    const before = table.member(incarnation);
    const view = run();
    if (!isMember(view)) return view;
    const isReport = before !== undefined && said.seq > before.seq;
    const unraised = before ? Math.min(before.held, isReport ? said.held : before.held) : said.held;
    return spoil(view, { table, incarnation, unraised, isReport });
  };
  return (ledger): Ledger => ({
    ...ledger,
    register: (table, registration, ...times) => {
      const { incarnation, seq, claim } = registration;
      return spoiled(table, incarnation, { seq, held: claim }, () => ledger.register(table, registration, ...times));
    },
    sync: (table, ref, report, clockMs) =>
      spoiled(table, ref.incarnation, report, () => ledger.sync(table, ref, report, clockMs)),
  });
}

/** The member holds so many tokens, on record and by the answer. */
export function holding(view: MemberView, { table, incarnation }: Heartbeat, held: number): MemberView {
  const group = table.group();
  const member = table.member(incarnation);
  if (!group || !member) return view;
  table.putGroup({ ...group, held: group.held + held - member.held });
  table.putMember({ ...member, held });
  const most = view.demand ? held : Math.min(held, evenPart(table));
  return { ...view, held, entitled: view.status === "agree" ? view.entitled : most };
}

/** What a member may hold without agreement. */
export function evenPart(table: LedgerTable): number {
  const { capacity, memberCount } = table.group() as GroupRow;
  return Math.floor(capacity / memberCount);
}
