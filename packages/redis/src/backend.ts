import type { BucketRef, LimitKind, LimitTarget, Registration, Report } from "@dt/core";
import {
  type Backend,
  type Call,
  type NamedKind,
  type NamePage,
  type ServerFunctions,
  serverBackend,
} from "@dt/core/store";
import { BucketBatches } from "./bucket-batches.ts";
import { driverError, notSent } from "./errors.ts";
import { bucketKey, budgetKeys, groupKeys, limitKey, permitKeys } from "./keys.ts";
import { Hints } from "./listen.ts";
import { listNames } from "./listing.ts";
import { checkRedisStoreOptions, type RedisStoreOptions } from "./options.ts";
import { parseBucketSnapshot } from "./reply/buckets.ts";
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
import { parseLimit, parseWritten } from "./reply/limits.ts";
import { parsePermitSnapshot, parseReservation, refuseReply, withoutWrongType } from "./reply/permits.ts";
import {
  deregisterArguments,
  isOfSemaphore,
  limitArguments,
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
  readonly kind: LimitKind;
  /** The keys to add for the group of a semaphore. */
  readonly slotKeys?: readonly string[];
  /** False: they are added where the script answers that they are missing. */
  readonly ofSemaphore?: boolean;
  /** The limit record of a request with `stored`: the last of the keys. */
  readonly limitKey?: string | false;
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
  const ofMember = (script: Script, group: string, args: readonly string[], asked: Registration | Report): Request => ({
    ...onGroup(script, group, args),
    ofSemaphore: isOfSemaphore(asked),
    limitKey: asked.stored === true && limitKey(prefix, { kind: "group", name: group }),
  });
  const onKey = (script: Script, key: string, args: readonly string[] = []): Request => ({
    ...permitKeys(prefix, key),
    ...{ kind: "permits", script, args },
  });
  const onBudget = (script: Script, budget: string, args: readonly string[] = []): Request => ({
    ...budgetKeys(prefix, budget),
    ...{ kind: "budget", script, args },
  });
  const onLimit = (script: Script, target: LimitTarget, args: readonly string[] = []): Request => ({
    ...{ kind: target.kind, keys: [limitKey(prefix, target)], channel: "" },
    ...{ script, args },
  });
  const onBucket = (script: Script, bucket: BucketRef): Request => ({
    ...{ keys: [bucketKey(prefix, bucket)], channel: "" },
    ...{ kind: "keyed", script, args: [] },
  });
  const batches = new BucketBatches(sender, prefix, isCluster);
  const budgetKeyOf = (budget: string): string => budgetKeys(prefix, budget).keys[0] as string;
  const rowsOf = (key: string): string => permitKeys(prefix, key).keys[0] as string;

  const functions: ServerFunctions<Request> = {
    register: {
      request: (group, registration) =>
        ofMember(scripts.register, group, registerArguments(registration), registration),
      answer: (reply, _group, { intervalMs }) => parseRegistered(reply, intervalMs),
    },
    sync: {
      request: (group, member, report) => ofMember(scripts.sync, group, syncArguments(member, report), report),
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
      request: (key, request) => ({
        ...onKey(scripts.reserve, key, reserveArguments(request)),
        limitKey: request.stored === true && limitKey(prefix, { kind: "permits", name: key }),
      }),
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
      request: (budget, request) => ({
        ...onBudget(scripts.spend, budget, spendArguments(request)),
        limitKey: request.stored === true && limitKey(prefix, { kind: "budget", name: budget }),
      }),
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
    readLimit: {
      request: (target) => onLimit(scripts.readLimit, target),
      answer: parseLimit,
    },
    writeLimit: {
      request: (target, from, row) => onLimit(scripts.writeLimit, target, limitArguments(from, row)),
      answer: parseWritten,
    },
    resetBucket: {
      request: (bucket) => onBucket(scripts.resetBucket, bucket),
      answer(reply) {
        if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
      },
    },
    inspectBucket: {
      request: (bucket) => onBucket(scripts.inspectBucket, bucket),
      answer: (reply, bucket) => parseBucketSnapshot(reply, bucket, bucketKey(prefix, bucket)),
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
          const reply = await sender.send(withAllKeys(request), call);
          // Nothing was done.
          if (!isWithoutSlotKeys(reply)) return reply;
          return await sender.send(withAllKeys({ ...request, ofSemaphore: true }), call);
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
      take: (requests, call) => batches.take(requests, call),
      listBuckets: (place, call) => list("keyed", place, call),
    },
  );
}

function withAllKeys(request: Request): ScriptRequest {
  const { keys, slotKeys, ofSemaphore, limitKey: record } = request;
  if (!ofSemaphore && !record) return request;
  return { ...request, keys: [...keys, ...((ofSemaphore && slotKeys) || []), ...(record ? [record] : [])] };
}
