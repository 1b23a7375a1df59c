import { inspect } from "node:util";
import { type CoordinationStore, type StoreEvents, systemRuntime } from "@dt/core";
import { FleetMemory } from "../fleet/fleet-memory.ts";
import { readFleet } from "../fleet/read-fleet.ts";
import type { AnyStore } from "../stores/in-store.ts";
import { type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { Collector } from "./collector.ts";
import { EventStreams } from "./events.ts";
import { newToken } from "./guard.ts";
import { History } from "./history.ts";
import { ConsoleServer } from "./http-server.ts";
import { orderLimit, previewLimit } from "./limits.ts";
import { type Hello, PROTOCOL } from "./protocol.ts";
import type { ServedFiles } from "./served-files.ts";
import { secretsOf, withoutSecretsOf } from "./store-secrets.ts";

/**
 * Keys of keyed limits that are looked at in a second, at most: each is a request to the store. Of 10,000 keys each is
 * looked at every 20 s.
 */
const KEYS_PER_SECOND = 500;

/** What a console is started with. */
export interface ConsoleOptions {
  readonly address: StoreAddress;
  /** The store at the address; the caller closes it after the console. */
  readonly store: AnyStore;
  readonly files: ServedFiles;
  /** The version of `@dt/cli`. */
  readonly version: string;
  /** This port alone; undefined: 7373, or the next one that is free. */
  readonly port?: number | undefined;
  /** Whether limits may be changed. */
  readonly writes: boolean;
  /** Time between two frames, in milliseconds. */
  readonly periodMs: number;
}

/** A console that runs. */
export interface RunningConsole {
  /** The address to open, with the token. */
  readonly url: string;
  readonly port: number;
  /** Ends the streams of all pages and every connection; no request to the store is under way afterwards. */
  close(): Promise<void>;
}

/**
 * Reads the fleet for the first time, and serves it.
 * @throws Failure where the port is taken; the errors of the store where the fleet cannot be read
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { address, store, files, version, port, writes, periodMs } = options;
  const [token, history, streams, memory] = [newToken(), new History(), new EventStreams(), new FleetMemory()];
  const keys = Math.ceil((KEYS_PER_SECOND * Math.min(periodMs, 2_000)) / 1_000);
  const secrets = secretsOf(address);
  const textOf = (error: unknown): string => withoutSecretsOf(secrets, messageOf(error));
  const about = { protocol: PROTOCOL, store: showStoreAddress(address), writes, version, periodMs } satisfies Omit<
    Hello,
    "frames" | "marks"
  >;
  const collector = new Collector({
    ...{ periodMs, history, textOf, runtime: systemRuntime },
    wallMs: Date.now,
    read: (signal) => readFleet(store, address, { memory, keys, signal }),
    isWatched: () => streams.size > 0,
    onFrame: (frame) => streams.send(frame),
  });
  const server = new ConsoleServer({
    ...{ token, writes, files, streams, textOf },
    hello: () => `${JSON.stringify(about).slice(0, -1)},${history.json()}}`,
    opened: () => collector.hurry(),
    report: () => history.report,
    preview: (order) => previewLimit(store, order, history.report),
    change: (order) => orderLimit(store, order),
  });
  const unheard = onReply(store, () => collector.replied());
  const close = async (): Promise<void> => {
    streams.close();
    await Promise.all([collector.stop(), server.close()]);
    unheard();
  };
  try {
    await server.listen(port);
    await collector.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${server.port}/?token=${token}`, port: server.port, close };
}

/** Listens for operations that the store has answered. */
function onReply(store: AnyStore, listener: () => void): () => void {
  const { on } = store as CoordinationStore & {
    on?(name: "operation", listener: (event: StoreEvents["operation"]) => void): () => void;
  };
  return on === undefined ? () => {} : on.call(store, "operation", ({ error }) => error === undefined && listener());
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  return error.message === "" ? error.name : error.message;
}
