import type { StoreCapabilities } from "@dt/core";
import { bucketName, PAGE_SIZE } from "@dt/core/ledger";
import {
  type Backend,
  type Call,
  type NamePage,
  type ServerFunctions,
  SetUpFirst,
  serverBackend,
} from "@dt/core/store";
import { driverError, isMissingSchema, notSent } from "./errors.ts";
import { channelOf, listenBy } from "./listen.ts";
import { checkPostgresStoreOptions, type PostgresStoreOptions } from "./options.ts";
import { Gate } from "./pool/gate.ts";
import { NamedQueues } from "./pool/named-queues.ts";
import { endPools } from "./pool/own-pool.ts";
import { parseBucket, parseTaken } from "./reply/buckets.ts";
import { parseBudget, parseSpending } from "./reply/budgets.ts";
import { boolean, text as nameOf, rowOf, rowsOf } from "./reply/field.ts";
import { parseRegistered, parseRepair, parseSnapshot, parseView } from "./reply/groups.ts";
import { parseStoredLimit } from "./reply/limits.ts";
import { parsePermits, parseReservation } from "./reply/permits.ts";
import { Schema } from "./schema/schema.ts";
import type { Statement } from "./statement/statements.ts";
import * as statements from "./statement/statements.ts";

const capabilities: Omit<StoreCapabilities, "hints"> = {
  name: "postgres",
  clock: "server",
  ledger: true,
  losesData: false,
  dataAge: true,
  demand: true,
  slots: true,
};

/**
 * A statement may wait for the lock of its group or key for this part of the time that is left to its caller. The
 * server's refusal then comes in time: it says that nothing happened, and leaves the connection usable, where a missed
 * deadline would cost the connection as well.
 */
const WAIT_FRACTION = 0.8;

/** Each operation is one statement. */
const functions: ServerFunctions<Statement> = {
  register: {
    request: statements.register,
    answer: (reply, _group, { intervalMs }) => parseRegistered(reply, intervalMs),
  },
  sync: { request: statements.sync, answer: parseView },
  deregister: { request: statements.deregister, answer: () => {} },
  inspect: { request: statements.inspect, answer: parseSnapshot },
  // Values that cannot be are refused by the tables themselves: what is left to find are rows that are missing, and
  // sums.
  repair: { request: statements.repair, answer: parseRepair },
  list: { request: (after) => statements.list("groups", after), answer: pageOf },
  reserve: { request: statements.reserve, answer: (reply, _key, { terms }) => parseReservation(reply, terms) },
  release: { request: statements.release, answer: () => {} },
  resetPermits: { request: statements.reset, answer: () => {} },
  inspectPermits: { request: statements.inspectPermits, answer: parsePermits },
  listPermits: { request: (after) => statements.list("keys", after), answer: pageOf },
  spend: { request: statements.spend, answer: (reply, _budget, { terms }) => parseSpending(reply, terms) },
  resetBudget: { request: statements.resetBudget, answer: () => {} },
  inspectBudget: { request: statements.inspectBudget, answer: parseBudget },
  listBudgets: { request: (after) => statements.list("budgets", after), answer: pageOf },
  take: { request: statements.take, answer: parseTaken },
  resetBucket: { request: statements.resetBucket, answer: () => {} },
  inspectBucket: { request: statements.inspectBucket, answer: parseBucket },
  listBuckets: { request: statements.listBuckets, answer: bucketPageOf },
  readLimit: { request: statements.readLimit, answer: parseStoredLimit },
  writeLimit: { request: statements.writeLimit, answer: (reply) => boolean(rowOf(reply, 1)[0]) },
};

/** @throws DtError `DT_INVALID_OPTION` */
export function postgresBackend(options: PostgresStoreOptions): Backend {
  const {
    pool,
    atOnce,
    hintPool,
    ownPools,
    schema: name,
    migrate,
    setupTimeoutMs,
    poolSettings,
  } = checkPostgresStoreOptions(options);
  const { runtime, timeoutMs, onError } = poolSettings;
  const gate = new Gate(pool, runtime, timeoutMs, atOnce);
  const queues = new NamedQueues();
  const schema = new Schema(gate, { schema: name, migrate, runtime, timeoutMs, setupTimeoutMs });

  async function send({ text, locks }: Statement, call: Call): Promise<unknown> {
    // Asked for when a connection is there: by then less time is left.
    const filled = (): string => {
      const waitMs = Math.max(1, Math.floor((call.untilMs - runtime.now()) * WAIT_FRACTION));
      return text({
        schema: name,
        waitMs,
        channel: locks && locks.kind !== "budget" && hintPool ? channelOf(locks) : null,
      });
    };
    const onSent = (): void => {
      call.sent = true;
    };
    const run = (): Promise<unknown> => gate.run(filled, call.signal, { onSent });
    try {
      // Others that lock the same wait in the queue before a connection is taken.
      return await (locks ? queues.run(`${locks.kind} ${locks.name}`, call.signal, run) : run());
    } catch (error) {
      if (!isMissingSchema(error)) throw error;
      // Nothing ran: the server was set up anew, or another program dropped the schema.
      schema.forget();
      throw new SetUpFirst();
    }
  }

  return serverBackend(
    {
      capabilities: { ...capabilities, hints: hintPool !== undefined },
      runtime,
      timeoutMs,
      send,
      toDtError: driverError,
      notSent,
      setUp: {
        // By then it has ended by itself, with an error that says more.
        timeoutMs: setupTimeoutMs + timeoutMs,
        isDone: () => schema.isReady(),
        make: () => schema.make(),
      },
      ...(hintPool && { listen: listenBy(hintPool, schema, onError) }),
      async close() {
        gate.close();
        await endPools(ownPools, poolSettings);
      },
    },
    functions,
  );
}

function pageOf(reply: unknown): NamePage {
  return page(rowsOf(reply, 1).map(([name]) => nameOf(name)));
}

function bucketPageOf(reply: unknown): NamePage {
  return page(rowsOf(reply, 2).map(([name, key]) => bucketName({ name: nameOf(name), key: nameOf(key) })));
}

function page(names: readonly string[]): NamePage {
  return { names, next: names[PAGE_SIZE - 1] };
}
