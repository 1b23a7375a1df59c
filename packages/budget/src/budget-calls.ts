import type { DtError } from "@dt/core";
import { admitBy, type CallOptions, type Calls, callsOf, SKIPPED } from "@dt/core/internal";
import {
  type BudgetAcquireOptions,
  type BudgetCall,
  checkBudgetCall,
  checkSettle,
  type SettleOption,
} from "./acquire-options.ts";
import type { Cost, Usage } from "./cost.ts";
import { Lease } from "./lease.ts";
import type { LimitSettings } from "./limits.ts";
import type { NotNow } from "./open-reservation.ts";
import { UsageOfCall } from "./usage-of-call.ts";
import { watchWork } from "./work-end.ts";

type When = "wait" | "throw" | "skip";

/** `run` and `wrap` of a budget. */
export type BudgetCalls<Limit extends string> = Calls<
  Lease<Limit>,
  Cost<Limit>,
  BudgetAcquireOptions,
  When,
  SettleOption<Limit>
>;

/** What `run` and `wrap` need of a budget. */
export interface CallWays<Limit extends string> {
  readonly limits: readonly LimitSettings[];
  /** Work begins that a drain waits for; returns the function that reports its end. */
  begin(): () => void;
  /** @throws DtError `DT_INVALID_COST` */
  check(cost: Cost, call: BudgetCall): void;
  wait(cost: Cost | undefined, call: BudgetCall): Promise<Lease<Limit>>;
  now(cost: Cost | undefined, call: BudgetCall): Promise<Lease<Limit> | NotNow>;
  limited(notNow: NotNow): Error;
  /** So many values of a usage make no sense. */
  ignore(values: number): void;
}

/** Makes `run` and `wrap` of a budget. */
export function callsOfBudget<Limit extends string>(ways: CallWays<Limit>): BudgetCalls<Limit> {
  return callsOf({
    options: ["signal", "timeout", "priority", "key", "model"],
    fixed: ["settle"],
    whenLimited: ["wait", "throw", "skip"],
    begin: () => ways.begin(),
    check: (given) => {
      const { cost, settle, call } = read(given);
      checkSettle(settle);
      if (cost !== undefined) ways.check(cost, call);
    },
    admit: (given, whenLimited) => {
      const { cost, call } = read(given);
      let notNow: NotNow = { retryAfterMs: 0, limitedBy: undefined };
      return admitBy<Lease<Limit>>(whenLimited, given.timeout, {
        wait: () => ways.wait(cost, call),
        now: async () => {
          const answer = await ways.now(cost, call);
          if (answer instanceof Lease) return answer;
          notNow = answer;
          return SKIPPED;
        },
        limited: () => ways.limited(notNow) as DtError,
      });
    },
    make: (lease, call, { settle }) => make(ways, lease, call, settle as SettleOption["settle"]),
  });
}

function read(given: CallOptions): { cost: Cost | undefined; settle: unknown; call: BudgetCall } {
  const { cost, settle, whenLimited: _, ...options } = given as CallOptions & { readonly cost?: Cost };
  return { cost, settle, call: checkBudgetCall(options as BudgetAcquireOptions) };
}

/** Makes the call, and settles when its work has ended. A stream counts as a call that runs until its end. */
async function make<Limit extends string>(
  ways: CallWays<Limit>,
  lease: Lease<Limit>,
  call: (right: Lease<Limit>) => unknown,
  settle: SettleOption["settle"],
): Promise<unknown> {
  const usage = new UsageOfCall(ways.limits, settle);
  const end = ways.begin();
  const ended = (): void => {
    settleBy(lease, usage);
    ways.ignore(usage.ignored);
    end();
  };
  try {
    return watchWork(await call(lease), { item: (value) => usage.add(value), ended });
  } catch (error) {
    // A call that fails may have cost as much as one that does not.
    usage.add(error);
    ended();
    throw error;
  }
}

/** A usage that makes no sense is none. */
function settleBy<Limit extends string>(lease: Lease<Limit>, usage: UsageOfCall): void {
  try {
    lease.settle(usage.usage as Usage<Limit> | undefined);
  } catch {
    usage.ignored += 1;
    lease.settle();
  }
}
