import type { Demand, DemandView, MemberView, Registration, Report, View } from "@dt/core";
import { divide, type GroupRow, type MemberRow, needOf } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import type { Flaw, Operation, Proceed } from "../flaw.ts";
import type { PlainTable } from "../plain-table.ts";
import { patchGroup, patchMember, setHeld } from "../rows.ts";

/** A registration or report of a member that shares by demand, and the rows as they are afterwards. */
export interface Demanded {
  readonly table: PlainTable;
  readonly row: GroupRow;
  readonly member: MemberRow;
  readonly want: number;
  readonly demand: Demand;
  readonly need: number;
  readonly view: MemberView;
  /** The rows as they were before; undefined where there was none. */
  readonly before: { readonly row: GroupRow | undefined; readonly member: MemberRow | undefined };
  /** Raises the member, whatever is free, and says so in the answer. */
  raise(tokens: number): void;
  patch(change: Partial<MemberRow>): void;
  patchRow(change: Partial<GroupRow>): void;
  /** Changes what is answered of demand. */
  say(change: Partial<DemandView>): void;
  /** Changes another part of the answer. */
  answer(change: Partial<MemberView>): void;
}

type Asked = Registration | Report;

/** Something is done to rows and answer after every registration and report of a member that shares by demand. */
export function afterwards(change: (demanded: Demanded) => void): Flaw {
  const run = <Request extends Asked>(operation: Operation<Request>, proceed: Proceed<Request, View>): View => {
    const { table, ref, request } = operation;
    const before = { row: table.group(), member: table.member(ref.incarnation) };
    return demanded(operation, before, request.demand, proceed(), change);
  };
  return { register: run, sync: run };
}

/** Every request that says what its member wants says something else. */
export function saying(change: (demand: Demand, operation: Operation<Asked>) => Demand): Flaw {
  const run = <Request extends Asked>(operation: Operation<Request>, proceed: Proceed<Request, View>): View => {
    const { request } = operation;
    return proceed(request.demand ? { ...request, demand: change(request.demand, operation) } : request);
  };
  return { register: run, sync: run };
}

function demanded(
  { table, ref }: Operation<Asked>,
  before: Demanded["before"],
  demand: Demand | undefined,
  answered: View,
  change: (demanded: Demanded) => void,
): View {
  const [row, member] = [table.group(), table.member(ref.incarnation)];
  if (!demand || !row || !member || member.want === null || !isMember(answered)) return answered;
  let view = answered;
  const answer = (other: Partial<MemberView>): void => {
    view = { ...view, ...other };
  };
  change({
    table,
    row,
    member,
    want: member.want,
    demand,
    need: needOf(divide(row), member.want),
    view,
    before,
    raise: (tokens) => {
      if (tokens === 0) return;
      setHeld(table, ref.incarnation, member.held + tokens);
      answer({ held: view.held + tokens, entitled: view.entitled + tokens });
    },
    patch: (other) => patchMember(table, ref.incarnation, other),
    patchRow: (other) => patchGroup(table, () => other),
    say: (other) => answer(view.demand ? { demand: { ...view.demand, ...other } } : {}),
    answer,
  });
  return view;
}
