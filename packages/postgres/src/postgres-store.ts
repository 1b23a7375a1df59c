import type {
  CoordinationStore,
  Farewell,
  GroupPage,
  GroupSnapshot,
  MemberRef,
  PermitLedger,
  PermitPage,
  PermitRelease,
  PermitRequest,
  PermitSnapshot,
  Registration,
  RepairOptions,
  RepairReport,
  Report,
  Reservation,
  StoreCapabilities,
  View,
} from "@dt/core";
import {
  checkFarewell,
  checkKeys,
  checkName,
  checkPermitRelease,
  checkPermitRequest,
  checkRegistration,
  checkReport,
  invalidOption,
  nextAfter,
  readCursor,
} from "@dt/core/ledger";
import { Calls } from "./calls.ts";
import { checkOptions, type PostgresStoreOptions } from "./options.ts";
import { Gate } from "./pool/gate.ts";
import { Lanes } from "./pool/lanes.ts";
import { endPools, type OwnPool, type PoolUse } from "./pool/own-pool.ts";
import { channelOf } from "./push/channel.ts";
import { Listener } from "./push/listener.ts";
import { parseNames, parsePermits } from "./reply/looks.ts";
import { parseRepair } from "./reply/repair.ts";
import { parseReservation } from "./reply/reservation.ts";
import { parseSnapshot } from "./reply/snapshot.ts";
import { parseRegistered, parseView } from "./reply/view.ts";
import { PreparedCalls } from "./schema/prepared-calls.ts";
import { Schema } from "./schema/schema.ts";
import { inspectPermitsStatement, listStatement } from "./statement/look-statements.ts";
import { releaseStatement, reserveStatement, resetStatement } from "./statement/permit-statements.ts";
import {
  type Delivery,
  deregisterStatement,
  inspectStatement,
  registerStatement,
  repairStatement,
  syncStatement,
} from "./statement/statements.ts";

/**
 * A statement may wait for the lock of its group or key for this part of the time that is left to its caller. The
 * server's refusal then comes in time: it says that nothing happened, and leaves the connection usable, where a missed
 * deadline would cost the connection as well.
 */
const WAIT_FRACTION = 0.8;

const GROUPS = "postgres groups";
const KEYS = "postgres keys";

const REPAIR_OPTIONS: ReadonlySet<string> = new Set<keyof RepairOptions>(["reset"]);

/**
 * The ledgers in PostgreSQL, of shares and of permits: one statement per operation, on the server's clock. Every method
 * follows {@link CoordinationStore} or {@link PermitLedger}, where the rules are, and throws its errors; in addition
 * `DT_STORE_UNSUITABLE` when the server cannot serve as a store (read-only, too old, missing privileges, a newer
 * schema), with the remedy.
 */
export class PostgresStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities;
  /** Hints by LISTEN / NOTIFY, on a connection of its own. Present with the option `push`. */
  readonly watch?: (group: string, onChange: () => void, signal?: AbortSignal) => Promise<() => void>;
  /** Hints of instants given back, on the same connection; present as {@link watch} is. */
  readonly watchPermits?: (key: string, onFreed: () => void, signal?: AbortSignal) => Promise<() => void>;
  readonly #gate: Gate;
  readonly #quotedSchema: string;
  readonly #listener: Listener | undefined;
  readonly #ownPools: readonly OwnPool[];
  readonly #use: PoolUse;
  readonly #lanes = new Lanes();
  readonly #calls: Calls;
  readonly #prepared: PreparedCalls;

  /**
   * Opens nothing yet: the first call connects, and creates what is missing in the schema.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: PostgresStoreOptions) {
    const { pool, atOnce, pushPool, ownPools, schema, migrate, setupTimeoutMs, use } = checkOptions(options);
    const { runtime, timeoutMs } = use;
    this.#use = use;
    this.#calls = new Calls(use);
    this.#ownPools = ownPools;
    this.#quotedSchema = schema;
    this.#gate = new Gate(pool, runtime, timeoutMs, atOnce);
    const schemaUse = { schema, migrate, runtime, timeoutMs, setupTimeoutMs };
    const tables = new Schema(this.#gate, schemaUse);
    this.#prepared = new PreparedCalls(this.#calls, tables, schemaUse);
    const listener = pushPool && new Listener(pushPool, tables, use);
    this.#listener = listener;
    if (listener) {
      this.watch = async (group, onChange, signal) => {
        checkName("group", group);
        return this.#watch(listener, channelOf(group), onChange, signal);
      };
      this.watchPermits = async (key, onFreed, signal) => {
        checkName("key", key);
        return this.#watch(listener, channelOf(key, "permits"), onFreed, signal);
      };
    }
    this.capabilities = {
      name: "postgres",
      clock: "server",
      ledger: true,
      losesData: false,
      dataAge: true,
      demand: true,
      push: listener !== undefined,
    };
  }

  /**
   * Makes the tables and functions, or brings them up to date, unless they are there: by `setupTimeout`. Every call
   * does so by itself where it is needed.
   */
  setUp(signal?: AbortSignal): Promise<void> {
    return this.#prepared.setUp(signal);
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    const statement = (delivery: Delivery): string => registerStatement(group, registration, delivery);
    return parseRegistered(await this.#change("register", "group", group, statement, signal), registration.intervalMs);
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    const statement = (delivery: Delivery): string => syncStatement(group, member, report, delivery);
    return parseView(await this.#change("sync", "group", group, statement, signal));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    const statement = (delivery: Delivery): string => deregisterStatement(group, member, farewell, delivery);
    await this.#change("deregister", "group", group, statement, signal);
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    const text = inspectStatement(group, this.#quotedSchema);
    return parseSnapshot(await this.#run("inspect", () => text, signal), group);
  }

  /**
   * See {@link CoordinationStore.repair}. Values that cannot be are refused by the tables themselves: what is left to
   * find are rows that are missing, and sums.
   */
  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkKeys("options", options, REPAIR_OPTIONS);
    const { reset = false } = options;
    if (typeof reset !== "boolean") throw invalidOption("reset", reset, "give true or false");
    const statement = (delivery: Delivery): string => repairStatement(group, reset, delivery);
    return parseRepair(await this.#change("repair", "group", group, statement, signal));
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const text = listStatement("groups", readCursor(GROUPS, cursor), this.#quotedSchema);
    const groups = parseNames(await this.#run("list", () => text, signal));
    return { groups, ...nextAfter(GROUPS, groups) };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    checkPermitRequest(key, request);
    const statement = (delivery: Delivery): string => reserveStatement(key, request, delivery);
    return parseReservation(await this.#change("reserve", "permits", key, statement, signal), request.terms);
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    checkPermitRelease(key, release);
    const statement = (delivery: Delivery): string => releaseStatement(key, release, delivery);
    await this.#change("release", "permits", key, statement, signal);
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    checkName("key", key);
    const statement = (delivery: Delivery): string => resetStatement(key, delivery);
    await this.#change("reset", "permits", key, statement, signal);
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    checkName("key", key);
    const text = inspectPermitsStatement(key, this.#quotedSchema);
    return parsePermits(await this.#run("inspectPermits", () => text, signal), key);
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const text = listStatement("keys", readCursor(KEYS, cursor), this.#quotedSchema);
    const keys = parseNames(await this.#run("listPermits", () => text, signal));
    return { keys, ...nextAfter(KEYS, keys) };
  }

  /** Ends what the store opened itself and fails pending calls. A pool handed in stays as it is. Idempotent. */
  async close(): Promise<void> {
    if (!this.#calls.close()) return;
    this.#listener?.close();
    this.#gate.close();
    await endPools(this.#ownPools, this.#use);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #watch(listener: Listener, channel: string, onHint: () => void, signal?: AbortSignal): Promise<() => void> {
    return this.#prepared.run("watch", (deadline) => listener.listen(channel, onHint, deadline), signal);
  }

  /** Where hints go, or null without push. */
  #channel(name: string, what: "group" | "permits" = "group"): string | null {
    return this.#listener ? channelOf(name, what) : null;
  }

  #change(
    what: string,
    kind: "group" | "permits",
    name: string,
    statement: (delivery: Delivery) => string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { runtime } = this.#use;
    const schema = this.#quotedSchema;
    const channel = this.#channel(name, kind);
    const text = (untilMs: number): string => {
      const waitMs = Math.max(1, Math.floor((untilMs - runtime.now()) * WAIT_FRACTION));
      return statement({ schema, channel, waitMs });
    };
    return this.#run(what, text, signal, `${kind} ${name}`);
  }

  /**
   * @param text asked for when the statement is sent, with the time of the call's deadline
   * @param lane what the statement locks; others for the same wait in line before a connection is taken
   */
  #run(
    what: string,
    text: (untilMs: number) => string,
    signal: AbortSignal | undefined,
    lane?: string,
  ): Promise<unknown> {
    return this.#prepared.run(
      what,
      (deadline, attempt, untilMs) => {
        const onSent = (): void => {
          attempt.sent = true;
        };
        const run = (): Promise<unknown> => this.#gate.run(() => text(untilMs), deadline, { onSent });
        return lane === undefined ? run() : this.#lanes.run(lane, deadline, run);
      },
      signal,
    );
  }
}

/** A {@link PostgresStore}. @throws DtError `DT_INVALID_OPTION` */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options);
}
