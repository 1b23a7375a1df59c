import type {
  Farewell,
  MemberRef,
  Registration,
  Report,
  StoreCapabilities,
  View,
} from "../contract/coordination-store.ts";
import type { GroupSnapshot, RepairOptions, RepairReport } from "../contract/inspect-and-repair.ts";
import type { PermitRelease, PermitRequest, Reservation } from "../contract/permit-ledger.ts";
import type { PermitSnapshot } from "../contract/permit-snapshot.ts";
import type { Answer, Call } from "./call.ts";
import type { CallRules } from "./calls.ts";
import type { Listen } from "./listeners.ts";
import type { SetUp } from "./set-up.ts";

/** One page of names as a backend reads it. */
export interface NamePage {
  readonly names: readonly string[];
  /** Where the next page begins; absent on the last page. The shell makes the cursor of it. */
  readonly next?: string | undefined;
}

/**
 * What is asked of a database. Arguments are checked, and the deadline runs, when a method is called. An operation that
 * is added to the contract is one method here, one in the shell, and one in each way in.
 */
export interface Operations {
  register(group: string, registration: Registration, call: Call): Answer<View>;
  sync(group: string, member: MemberRef, report: Report, call: Call): Answer<View>;
  deregister(group: string, member: MemberRef, farewell: Farewell, call: Call): Answer<void>;
  inspect(group: string, call: Call): Answer<GroupSnapshot>;
  repair?(group: string, options: RepairOptions, call: Call): Answer<RepairReport>;
  /** @param place where the page begins: the empty text, or `next` of the page before */
  list?(place: string, call: Call): Answer<NamePage>;

  reserve?(key: string, request: PermitRequest, call: Call): Answer<Reservation>;
  release?(key: string, release: PermitRelease, call: Call): Answer<void>;
  resetPermits?(key: string, call: Call): Answer<void>;
  inspectPermits?(key: string, call: Call): Answer<PermitSnapshot | undefined>;
  /** @param place as of {@link list} */
  listPermits?(place: string, call: Call): Answer<NamePage>;
}

/**
 * What an adapter gives to {@link Store}. A part without a `?` is in every store; the method of another one appears on
 * the store exactly when the backend has it.
 */
export interface Backend extends Operations, CallRules {
  readonly capabilities: StoreCapabilities;
  /** Absent where there is nothing to make. */
  readonly setUp?: SetUp;
  /** Opens what hints come from. Present exactly when `capabilities.hints` is true. */
  readonly listen?: Listen;
  /** Ends what the adapter opened itself. Called once; calls under way have failed by then. */
  close(): Answer<void>;
}

/** What of a backend is no operation. */
export type BackendParts = Omit<Backend, keyof Operations>;

/** Those parts of an object, or of an instance of a class, whose methods stay its own. */
export function partsOf(given: Omit<BackendParts, "close"> & Partial<Pick<Backend, "close">>): BackendParts {
  const { capabilities, runtime, timeoutMs, setUp, listen, toDtError, notSent } = given;
  return {
    capabilities,
    runtime,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(setUp && { setUp }),
    ...(listen && { listen: listen.bind(given) }),
    ...(toDtError && { toDtError: toDtError.bind(given) }),
    ...(notSent && { notSent: notSent.bind(given) }),
    close: () => given.close?.(),
  };
}
