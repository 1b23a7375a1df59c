import { DtError, type DtErrorCode, type Effect } from "@dt/core";
import { discreet } from "@dt/core/ledger";
import type { Call } from "@dt/core/store";

type Meaning = readonly [pattern: RegExp, code: DtErrorCode, effect: Effect, remedy: string];

/** What etcd's and gRPC's messages mean, and what a user can do about it. The first match counts. */
const MEANINGS: readonly Meaning[] = [
  [
    /authentication failed|user name is empty|invalid user ID/i,
    "DT_STORE_UNSUITABLE",
    "definite",
    "check auth.username and auth.password",
  ],
  [
    /authentication is not enabled/i,
    "DT_STORE_UNSUITABLE",
    "definite",
    "etcd does not ask for a password: leave out auth, or enable authentication",
  ],
  [
    /permission denied/i,
    "DT_STORE_UNSUITABLE",
    "definite",
    "grant the user read and write permission: etcdctl role grant-permission <role> readwrite --prefix=true <prefix>/",
  ],
  [
    /database space exceeded/i,
    "DT_STORE_UNAVAILABLE",
    "definite",
    "etcd's database is full: compact and defragment it, disarm the alarm, and turn on automatic compaction",
  ],
  [
    /requested lease not found/i,
    "DT_STORE_UNAVAILABLE",
    "definite",
    "the call took longer than half the member's stale age: raise staleAfter, or lower the store's timeout",
  ],
  [/invalid auth token/i, "DT_STORE_UNAVAILABLE", "definite", "the login has expired; the next call logs in again"],
  [/^4 |DEADLINE_EXCEEDED/, "DT_STORE_TIMEOUT", "unknown", "etcd did not answer in time"],
  [
    /No connection established|ECONNREFUSED|failed a moment ago|Channel (closed|has been shut)/,
    "DT_STORE_UNAVAILABLE",
    "definite",
    "see that etcd runs",
  ],
  [/client was already closed/, "DT_STORE_UNAVAILABLE", "definite", "the client handed in was closed by its owner"],
];

/** What etcd or its client threw, as the contract's. */
export function toDtError(error: unknown, { what }: Pick<Call, "what">): DtError {
  const text = error instanceof Error ? error.message : String(error);
  const [, code, effect, remedy] = MEANINGS.find(([pattern]) => pattern.test(text)) ?? [];
  return new DtError(code ?? "DT_STORE_UNAVAILABLE", `${what} failed: ${text}${remedy ? `; ${remedy}` : ""}`, {
    effect: effect ?? "unknown",
    cause: discreet(error),
  });
}
