/**
 * For authors of stores. A store is {@link Store} over a {@link Backend}, and there are three ways to one:
 *
 * - {@link tableBackend}: the ledger's functions over tables, inside a transaction of the database;
 * - `cellBackend` of `@dt/cas`: cells that are changed by compare-and-swap;
 * - {@link serverBackend}: functions that the server computes.
 *
 * Every adapter has the same files: `options.ts` (what its users say, checked), `backend.ts` (how a request reaches the
 * database), `errors.ts` (what the driver's errors mean), `listen.ts` (the connection on which hints come), and
 * `<database>-store.ts` (the class, a few lines).
 */

export {
  type Backend,
  type BackendParts,
  type NamePage,
  type Operations,
  partsOf,
  type StoredLimit,
} from "./backend.ts";
export { type Answer, type Call, SetUpFirst } from "./call.ts";
export { type CallRules, Calls } from "./calls.ts";
export type { HintEvents, HintLink, Listen, NamedKind, Topic } from "./listeners.ts";
export { type Server, type ServerFunction, type ServerFunctions, serverBackend } from "./server-backend.ts";
export type { SetUp } from "./set-up.ts";
export { Store } from "./store.ts";
export { tableBackend } from "./table-backend.ts";
export { answerOrRefusal } from "./table-buckets.ts";
export type { GroupTable, KeyTable, LimitTable, TableDatabase } from "./table-database.ts";
export { takeEach } from "./take-each.ts";
export { type AnyStore, type Around, type MethodName, type StoreCall, wrapStore } from "./wrap-store.ts";
