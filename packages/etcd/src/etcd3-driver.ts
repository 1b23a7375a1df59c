import type { Runtime } from "@dt/core";
import {
  Etcd3,
  EtcdInvalidAuthTokenError,
  type IKeyValue,
  type IOptions,
  type ITxnRequest,
  isRecoverableError,
} from "etcd3";
import type { Committed, Driver, Entries, Entry, Lease, Transaction } from "./driver.ts";
import { HostGuards } from "./host-guards.ts";

/** A client of the package `etcd3`. */
export type EtcdClient = Etcd3;

/** How to reach etcd with a client of our own. */
export interface EtcdAddress {
  /** `http://host:port` or `https://host:port`, one for each node. */
  readonly endpoints: readonly string[];
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
  /** PEM. Certificates to trust, and the client's own certificate and key. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string } | undefined;
}

/** What a driver needs besides the client. */
export interface DriverSettings {
  readonly runtime: Runtime;
  /** Deadline of one request. */
  readonly timeoutMs: number;
}

interface CallOptions {
  readonly deadline: number;
}

/**
 * Reconnect quickly, and notice within about 13 s that a node is gone without a word: etcd allows pings every 5 s at
 * most.
 */
const CHANNEL_OPTIONS = {
  "grpc.initial_reconnect_backoff_ms": 50,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 3_000,
  "grpc.max_receive_message_length": 64 * 1_024 * 1_024,
};

/**
 * A client of our own. etcd3 by itself sends what failed again, up to three times, and leaves a node out for five
 * seconds after three failures, the only node too.
 */
export function createClient({ endpoints, auth, tls }: EtcdAddress, runtime: Runtime): EtcdClient {
  const guards = new HostGuards(runtime, endpoints, (error) => error instanceof Error && isRecoverableError(error));
  const once = { execute: <T>(call: () => T | Promise<T>) => call() };
  const options = {
    hosts: [...endpoints],
    grpcOptions: CHANNEL_OPTIONS,
    faultHandling: { global: once, host: (host: string) => guards.guard(host) },
    ...(auth && { auth }),
    ...(tls && {
      credentials: {
        rootCertificate: Buffer.from(tls.ca),
        ...(tls.cert !== undefined && { certChain: Buffer.from(tls.cert) }),
        ...(tls.key !== undefined && { privateKey: Buffer.from(tls.key) }),
      },
    }),
  };
  // Of a policy, etcd3 uses `execute` alone.
  return new Etcd3(options as unknown as IOptions);
}

/**
 * The only file that knows etcd3. Uses its generated calls, and none of its helpers: those keep leases and retry in
 * ways of their own.
 */
export class Etcd3Driver implements Driver {
  readonly #client: EtcdClient;
  readonly #settings: DriverSettings;
  readonly #owned: boolean;

  /** @param owned true when the client is to be closed with the driver */
  constructor(client: EtcdClient, settings: DriverSettings, owned: boolean) {
    this.#client = client;
    this.#settings = settings;
    this.#owned = owned;
  }

  async read(keys: Iterable<string>): Promise<Entries> {
    const all = [...keys];
    if (all.length === 1) {
      const { kvs } = await this.#call((options) => this.#client.kv.range({ key: bytes(all[0] as string) }, options));
      return byKey(kvs);
    }
    const { responses } = await this.#transact({ success: all.map((key) => ({ request_range: { key: bytes(key) } })) });
    return byKey(responses.flatMap(({ response_range }) => response_range.kvs));
  }

  async list(ranges: Parameters<Driver["list"]>[0]): Promise<readonly (readonly Entry[])[]> {
    const reads = ranges.map(({ prefix, keysOnly }) => ({ request_range: { ...under(prefix), keys_only: keysOnly } }));
    const { responses } = await this.#transact({ success: reads });
    return responses.map(({ response_range }) => response_range.kvs.map(toEntry));
  }

  async page(prefix: string, from: string, limit: number): Promise<readonly string[]> {
    const { range_end } = under(prefix);
    const { kvs } = await this.#call((options) =>
      this.#client.kv.range({ key: bytes(from), range_end, limit, keys_only: true }, options),
    );
    return kvs.map(({ key }) => key.toString());
  }

  async count(prefix: string): Promise<number> {
    const { count } = await this.#call((options) =>
      this.#client.kv.range({ ...under(prefix), count_only: true }, options),
    );
    return Number(count);
  }

  async commit({ unchanged, puts, deletes, deletesUnder = [], otherwise }: Transaction): Promise<Committed> {
    const request: ITxnRequest = {
      compare: [...unchanged].map(([key, revision]) => ({
        key: bytes(key),
        target: "Mod",
        result: "Equal",
        mod_revision: revision,
      })),
      success: [
        ...puts.map(({ key, value, lease, keepsLease = false }) => ({
          request_put: {
            key: bytes(key),
            value: bytes(value),
            ...(lease !== undefined && { lease }),
            ...(keepsLease && { ignore_lease: true }),
          },
        })),
        ...deletes.map((key) => ({ request_delete_range: { key: bytes(key) } })),
        ...deletesUnder.map((prefix) => ({ request_delete_range: under(prefix) })),
      ],
      failure: [...otherwise].map((key) => ({ request_range: { key: bytes(key) } })),
    };
    const { succeeded, header, responses } = await this.#transact(request);
    if (succeeded) return { done: true, revision: header.revision };
    return { done: false, found: byKey(responses.flatMap(({ response_range }) => response_range.kvs)) };
  }

  async grantLease(seconds: number): Promise<Lease> {
    const { ID, TTL } = await this.#call((options) => this.#client.leaseClient.leaseGrant({ TTL: seconds }, options));
    return { id: ID, ttlMs: Number(TTL) * 1_000 };
  }

  async keepAlive(leaseId: string): Promise<boolean> {
    try {
      return await this.#call((options) => this.#keepAlive(leaseId, options));
    } catch (error) {
      if (!(error instanceof EtcdInvalidAuthTokenError)) throw error;
      // Only etcd3's simple calls log in again when the token has expired.
      await this.count("\0/").catch(() => undefined);
      return this.#call((options) => this.#keepAlive(leaseId, options));
    }
  }

  async watch(key: string, onChange: (value: string | undefined) => void, onEnd: () => void): Promise<() => void> {
    const stream = await this.#client.watchClient.watch();
    return new Promise((resolve, reject) => {
      let ended = false;
      const end = (error: unknown): void => {
        reject(error);
        if (!ended) onEnd();
        ended = true;
        stream.cancel();
      };
      stream.on("error", end);
      stream.on("end", () => end(new Error("the watch stream ended")));
      stream.on("data", (response) => {
        if (response.canceled) return end(new Error(`etcd cancelled the watch: ${response.cancel_reason}`));
        if (response.created)
          resolve(() => {
            ended = true;
            // Not `cancel`, which etcd3 takes for a fault of the node: it would close the channels of all other calls.
            stream.write({ cancel_request: { watch_id: response.watch_id } });
            stream.end();
          });
        for (const { type, kv } of response.events)
          if (!ended) onChange(type === "Delete" ? undefined : kv.value.toString());
      });
      stream.write({ create_request: { key: bytes(key) } });
    });
  }

  close(): void {
    if (this.#owned) this.#client.close();
  }

  /**
   * One short stream: opened, asked and ended in one round trip. Renewing a lease is no change of etcd's data and needs
   * no quorum.
   */
  async #keepAlive(leaseId: string, options: CallOptions): Promise<boolean> {
    const stream = await this.#client.leaseClient.leaseKeepAlive(options);
    return new Promise((resolve, reject) => {
      stream.on("error", reject);
      stream.on("end", () => reject(new Error("the stream ended without an answer")));
      stream.on("data", ({ TTL }) => {
        resolve(Number(TTL) > 0);
        stream.end();
      });
      stream.write({ ID: leaseId });
    });
  }

  #transact(request: ITxnRequest): ReturnType<EtcdClient["kv"]["txn"]> {
    return this.#call((options) => this.#client.kv.txn(request, options));
  }

  /**
   * One request, with a deadline. gRPC wants that on the wall clock; it only ends requests that the store has given up
   * by its own clock, so that a jump of the wall clock ends a call early at worst.
   */
  async #call<T>(send: (options: CallOptions) => Promise<T>): Promise<T> {
    // biome-ignore lint/plugin: see above; nothing is decided by it
    const options = { deadline: Date.now() + this.#settings.timeoutMs };
    try {
      return await send(options);
    } catch (error) {
      if (!wasNotSent(error)) throw error;
      return send(options);
    }
  }
}

/**
 * When a call to a node fails, etcd3 closes the channel under all others; those that had not begun then are to be begun
 * again.
 */
function wasNotSent(error: unknown): boolean {
  return error instanceof Error && /Channel (closed before call started|has been shut down)/.test(error.message);
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "utf8");
}

/** Every key that begins with the prefix. All prefixes end with a slash, and the next character is "0". */
function under(prefix: string): { readonly key: Buffer; readonly range_end: Buffer } {
  return { key: bytes(prefix), range_end: bytes(`${prefix.slice(0, -1)}0`) };
}

function toEntry({ key, value, mod_revision: revision }: IKeyValue): Entry {
  return { key: key.toString(), value: value.toString(), revision };
}

function byKey(kvs: readonly IKeyValue[]): Entries {
  return new Map(kvs.map((kv) => [kv.key.toString(), toEntry(kv)]));
}
