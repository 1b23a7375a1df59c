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
} from "@dt/core/ledger";
import { Calls } from "./calls.ts";
import type { Connection } from "./client/connection.ts";
import { type Ask, Hints, SECRET_KEPT_MS } from "./hints/hints.ts";
import { groupKeys, type Keys, permitKeys } from "./keys.ts";
import { checkCursor, listNames, type NamePage } from "./listing.ts";
import { checkOptions, type RedisStoreOptions } from "./options.ts";
import { unexpectedReply } from "./reply/field.ts";
import { parsePermitSnapshot } from "./reply/permit-snapshot.ts";
import { refuseReply, withoutWrongType } from "./reply/refusal.ts";
import { refuseData } from "./reply/refused-data.ts";
import { parseRepairReport } from "./reply/repair-report.ts";
import { parseReservation } from "./reply/reservation.ts";
import { parseSecret } from "./reply/secret.ts";
import { parseSnapshot } from "./reply/snapshot.ts";
import { parseRegistered, parseView } from "./reply/view.ts";
import {
  deregisterArguments,
  registerArguments,
  releaseArguments,
  reserveArguments,
  syncArguments,
} from "./script/arguments.ts";
import type { Script } from "./script/script.ts";
import { scripts } from "./script/scripts.ts";
import { Sender } from "./script/sender.ts";

const REPAIR_OPTIONS: ReadonlySet<string> = new Set<keyof RepairOptions>(["reset"]);

/**
 * The ledgers in Redis, of shares and of permits: one script per operation, on the server's clock. Every method follows
 * {@link CoordinationStore} or {@link PermitLedger}, where the rules are, and throws its errors; in addition
 * `DT_STORE_UNSUITABLE` when the server cannot serve as a store (a replica, no scripting, an ACL that forbids it), with
 * the remedy.
 */
export class RedisStore implements CoordinationStore, PermitLedger {
  readonly capabilities: StoreCapabilities;
  /** Hints by pub/sub, on a connection of its own. Absent for a client handed in that cannot listen. */
  readonly watch?: (group: string, onChange: () => void, signal?: AbortSignal) => Promise<() => void>;
  /** Hints of instants given back, on the same connection; absent as {@link watch} is. */
  readonly watchPermits?: (key: string, onFreed: () => void, signal?: AbortSignal) => Promise<() => void>;
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #calls: Calls;
  readonly #sender: Sender;
  readonly #hints: Hints | undefined;

  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`
   */
  constructor(options: RedisStoreOptions) {
    const { prefix, ...link } = checkOptions(options);
    const { connection, runtime } = link;
    this.#connection = connection;
    this.#prefix = prefix;
    this.#calls = new Calls(link);
    this.#sender = new Sender(connection);
    const push = connection.push;
    if (push) {
      const hints = new Hints(
        push,
        (where, ours) => this.#run("watch", ...secretCall(where, ours)).then(parseSecret),
        runtime,
      );
      this.#hints = hints;
      this.watch = async (group, onChange, signal) => {
        checkName("group", group);
        return this.#watch(hints, groupKeys(prefix, group), onChange, signal);
      };
      this.watchPermits = async (key, onFreed, signal) => {
        checkName("key", key);
        return this.#watch(hints, permitKeys(prefix, key), onFreed, signal);
      };
    }
    this.capabilities = {
      demand: true,
      name: "redis",
      clock: "server",
      ledger: true,
      losesData: true,
      push: push !== undefined,
      dataAge: !connection.isCluster,
    };
  }

  async register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    checkRegistration(group, registration);
    const reply = await this.#run(
      "register",
      scripts.register,
      this.#keys(group),
      registerArguments(registration),
      signal,
    );
    return parseRegistered(reply, registration.intervalMs);
  }

  async sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    checkReport(group, member, report);
    const keys = this.#keys(group);
    const view = parseView(await this.#run("sync", scripts.sync, keys, syncArguments(member, report), signal));
    // Perhaps all data was lost, and with it the channel that we listen to.
    if (view.status === "unknown") this.#hints?.lost(keys);
    return view;
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    checkFarewell(group, member, farewell);
    const reply = await this.#run(
      "deregister",
      scripts.deregister,
      this.#keys(group),
      deregisterArguments(member, farewell),
      signal,
    );
    refuseData(reply);
    if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    checkName("group", group);
    return parseSnapshot(await this.#run("inspect", scripts.inspect, this.#keys(group), [], signal), group);
  }

  async repair(group: string, options: RepairOptions = {}, signal?: AbortSignal): Promise<RepairReport> {
    checkName("group", group);
    checkKeys("options", options, REPAIR_OPTIONS);
    const { reset = false } = options;
    if (typeof reset !== "boolean") throw invalidOption("reset", reset, "give true or false");
    const args = [reset ? "1" : "0"];
    return parseRepairReport(await this.#run("repair", scripts.repair, this.#keys(group), args, signal));
  }

  async list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const { names, ...next } = await this.#list("list", "groups", cursor, signal);
    return { groups: names, ...next };
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    checkPermitRequest(key, request);
    const reply = await this.#runPermits("reserve", scripts.reserve, key, reserveArguments(request), signal);
    refuseReply(reply, permitKeys(this.#prefix, key).keys[0] as string, request.terms);
    return parseReservation(reply);
  }

  async release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    checkPermitRelease(key, release);
    const reply = await this.#runPermits("release", scripts.release, key, releaseArguments(release), signal);
    refuseReply(reply, permitKeys(this.#prefix, key).keys[0] as string);
    if (reply !== "freed" && reply !== "nothing") throw unexpectedReply(reply, '"freed" or "nothing"');
  }

  async resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    checkName("key", key);
    const reply = await this.#runPermits("reset", scripts.reset, key, [], signal);
    if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
  }

  async inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    checkName("key", key);
    const reply = await this.#runPermits("inspectPermits", scripts.inspectPermits, key, [], signal);
    refuseReply(reply, permitKeys(this.#prefix, key).keys[0] as string);
    return parsePermitSnapshot(reply, key);
  }

  async listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const { names, ...next } = await this.#list("listPermits", "keys", cursor, signal);
    return { keys: names, ...next };
  }

  /**
   * Ends the connections that the store opened itself and fails pending calls. A client handed in stays as it is.
   * Idempotent.
   */
  async close(): Promise<void> {
    this.#calls.close();
    this.#hints?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #keys(group: string): Keys {
    return groupKeys(this.#prefix, group);
  }

  #watch(hints: Hints, where: Keys, onHint: () => void, signal?: AbortSignal): Promise<() => void> {
    return this.#calls.run(
      "watch",
      (deadline, attempt) => {
        const ask: Ask = (where, ours) =>
          this.#sender.send(...secretCall(where, ours), deadline, attempt).then(parseSecret);
        return hints.watch(where, onHint, ask, deadline);
      },
      signal,
    );
  }

  async #list(
    call: string,
    what: "groups" | "keys",
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<NamePage> {
    checkCursor(what, cursor);
    const prefix = `${this.#connection.keyPrefix}${this.#prefix}`;
    const nowhere = { keys: [], channel: "" };
    return this.#calls.run(
      call,
      async (deadline, attempt) => {
        const masters = await this.#connection.masters(deadline);
        return listNames(what, cursor, masters, prefix, (master, args) =>
          this.#sender.send(scripts.list, nowhere, args, deadline, attempt, master),
        );
      },
      signal,
    );
  }

  async #runPermits(
    what: string,
    script: Script,
    key: string,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown> {
    const where = permitKeys(this.#prefix, key);
    try {
      return await this.#run(what, script, where, args, signal);
    } catch (error) {
      throw withoutWrongType(error, where.keys[0] as string);
    }
  }

  #run(
    what: string,
    script: Script,
    where: Pick<Keys, "keys" | "channel">,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#calls.run(
      what,
      (deadline, attempt) => this.#sender.send(script, where, args, deadline, attempt),
      signal,
    );
  }
}

/** What asks for the secret of a topic. */
function secretCall({ hints, channel }: Keys, ours: string): [Script, Pick<Keys, "keys" | "channel">, string[]] {
  return [scripts.channel, { keys: [hints], channel }, [ours, String(SECRET_KEPT_MS)]];
}

/** A {@link RedisStore}. @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT` */
export function redisStore(options: RedisStoreOptions): RedisStore {
  return new RedisStore(options);
}
