import {
  type Backend,
  type Call,
  type NamedKind,
  type NamePage,
  type ServerFunctions,
  serverBackend,
} from "@dt/core/store";
import { driverError, notSent } from "./errors.ts";
import { budgetKeys, groupKeys, permitKeys } from "./keys.ts";
import { Hints } from "./listen.ts";
import { listNames } from "./listing.ts";
import { checkRedisStoreOptions, type RedisStoreOptions } from "./options.ts";
import { parseBudgetSnapshot, parseSpendAnswer, refuseBudgetReply, withoutWrongBudget } from "./reply/budgets.ts";
import { unexpectedReply } from "./reply/field.ts";
import {
  checkFarewellReply,
  isWithoutSlotKeys,
  parseRegistered,
  parseRepairReport,
  parseSnapshot,
  parseView,
} from "./reply/groups.ts";
import { parsePermitSnapshot, parseReservation, refuseReply, withoutWrongType } from "./reply/permits.ts";
import {
  deregisterArguments,
  isOfSemaphore,
  registerArguments,
  releaseArguments,
  reserveArguments,
  spendArguments,
  syncArguments,
} from "./script/arguments.ts";
import { type Script, scripts } from "./script/scripts.ts";
import { type ScriptRequest, Sender } from "./script/sender.ts";

/** One script for one operation. */
interface Request extends ScriptRequest {
  readonly kind: NamedKind;
  /** The keys to add where the script answers that the group is that of a semaphore. */
  readonly slotKeys?: readonly string[];
}

/** @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT` */
export function redisBackend(options: RedisStoreOptions): Backend {
  const { prefix, connection, runtime, timeoutMs } = checkRedisStoreOptions(options);
  const { openChannels, isCluster } = connection;
  const sender = new Sender(connection);
  const hints = openChannels && new Hints(openChannels, { prefix, sender, runtime, timeoutMs });
  const onGroup = (script: Script, group: string, args: readonly string[] = []): Request => ({
    ...groupKeys(prefix, group),
    ...{ kind: "group", script, args },
  });
  const ofSemaphore = (request: Request, is: boolean): Request => (is ? withSlotKeys(request) : request);
  const onKey = (script: Script, key: string, args: readonly string[] = []): Request => ({
    ...permitKeys(prefix, key),
    ...{ kind: "permits", script, args },
  });
  const onBudget = (script: Script, budget: string, args: readonly string[] = []): Request => ({
    ...budgetKeys(prefix, budget),
    ...{ kind: "budget", script, args },
  });
  const budgetKeyOf = (budget: string): string => budgetKeys(prefix, budget).keys[0] as string;
  const rowsOf = (key: string): string => permitKeys(prefix, key).keys[0] as string;

  const functions: ServerFunctions<Request> = {
    register: {
      request: (group, registration) =>
        ofSemaphore(onGroup(scripts.register, group, registerArguments(registration)), isOfSemaphore(registration)),
      answer: (reply, _group, { intervalMs }) => parseRegistered(reply, intervalMs),
    },
    sync: {
      request: (group, member, report) =>
        ofSemaphore(onGroup(scripts.sync, group, syncArguments(member, report)), isOfSemaphore(report)),
      answer(reply, group) {
        const view = parseView(reply);
        // Perhaps all data was lost, and with it the channel that we listen to.
        if (view.status === "unknown") hints?.mayBeLost({ kind: "group", name: group });
        return view;
      },
    },
    deregister: {
      request: (group, member, farewell) => onGroup(scripts.deregister, group, deregisterArguments(member, farewell)),
      answer: checkFarewellReply,
    },
    inspect: { request: (group) => onGroup(scripts.inspect, group), answer: parseSnapshot },
    repair: {
      request: (group, { reset }) => onGroup(scripts.repair, group, [reset ? "1" : "0"]),
      answer: parseRepairReport,
    },
    reserve: {
      request: (key, request) => onKey(scripts.reserve, key, reserveArguments(request)),
      answer(reply, key, { terms }) {
        refuseReply(reply, rowsOf(key), terms);
        return parseReservation(reply);
      },
    },
    release: {
      request: (key, release) => onKey(scripts.release, key, releaseArguments(release)),
      answer(reply, key) {
        refuseReply(reply, rowsOf(key));
        if (reply !== "freed" && reply !== "nothing") throw unexpectedReply(reply, '"freed" or "nothing"');
      },
    },
    resetPermits: {
      request: (key) => onKey(scripts.reset, key),
      answer(reply) {
        if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
      },
    },
    inspectPermits: {
      request: (key) => onKey(scripts.inspectPermits, key),
      answer(reply, key) {
        refuseReply(reply, rowsOf(key));
        return parsePermitSnapshot(reply, key);
      },
    },
    spend: {
      request: (budget, request) => onBudget(scripts.spend, budget, spendArguments(request)),
      answer(reply, budget, { terms, limits }) {
        refuseBudgetReply(reply, budgetKeyOf(budget), terms);
        return parseSpendAnswer(reply, limits.length);
      },
    },
    resetBudget: {
      request: (budget) => onBudget(scripts.resetBudget, budget),
      answer(reply) {
        if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
      },
    },
    inspectBudget: {
      request: (budget) => onBudget(scripts.inspectBudget, budget),
      answer(reply, budget) {
        refuseBudgetReply(reply, budgetKeyOf(budget));
        return parseBudgetSnapshot(reply, budget);
      },
    },
  };

  async function list(kind: NamedKind, place: string, call: Call): Promise<NamePage> {
    const masters = await connection.masters(call.signal);
    return listNames(kind, place, masters, `${connection.keyPrefix}${prefix}`, (master, args) =>
      sender.send({ script: scripts.list, keys: [], channel: "", args, master }, call),
    );
  }

  return serverBackend(
    {
      capabilities: {
        ...{ name: "redis", clock: "server", ledger: true, demand: true, slots: true, losesData: true },
        ...{ hints: hints !== undefined, dataAge: !isCluster },
      },
      runtime,
      timeoutMs,
      async send(request: Request, call: Call) {
        try {
          const reply = await sender.send(request, call);
          // Nothing was done.
          return isWithoutSlotKeys(reply) ? await sender.send(withSlotKeys(request), call) : reply;
        } catch (error) {
          const key = request.keys[0] as string;
          if (request.kind === "budget") throw withoutWrongBudget(error, key);
          throw request.kind === "permits" ? withoutWrongType(error, key) : error;
        }
      },
      toDtError: driverError,
      notSent: (call, cause) => notSent(call, cause, connection.lastError),
      ...(hints && { listen: hints.listen }),
      close: () => connection.close(),
    },
    functions,
    {
      list: (place, call) => list("group", place, call),
      listPermits: (place, call) => list("permits", place, call),
      listBudgets: (place, call) => list("budget", place, call),
    },
  );
}

function withSlotKeys(request: Request): Request {
  return { ...request, keys: [...request.keys, ...(request.slotKeys ?? [])] };
}
