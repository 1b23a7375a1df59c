import { DtError, isDtError, systemRuntime } from "@dt/core";
import { checkInteger, checkName } from "@dt/core/internal";
import { type Command, type RedisAddress, RedisCommands } from "@dt/redis/commands";
import type { Ending } from "../ending.ts";
import { BATCH_OPTIONS, Batches, type BatchOptions, checkBatch } from "./batches.ts";
import { jsonOf } from "./letter.ts";
import type { Sink } from "./sink.ts";

/**
 * Options of {@link redisStream}. Redis is reached as by `redisStore` of `@dt/redis`: exactly one of `client`,
 * `cluster`, or `url` and / or `options`.
 */
export interface RedisStreamOptions extends RedisAddress, BatchOptions {
  /** The key of the stream. It is made with the first entry. */
  readonly stream: string;
  /**
   * About how many entries the stream keeps: older ones are deleted by Redis, read or not.
   * @default all of them
   */
  readonly maxLength?: number;
}

const OWN = ["stream", "maxLength", ...BATCH_OPTIONS] as const;

/**
 * A sink that adds an entry to a Redis stream for each ending, with the fields `kind`, `input` (JSON), and `output`
 * (JSON) or `error`. Nothing is sent twice: when a reply is lost the sink fails, and what was on its way may be in the
 * stream.
 * @param options the stream, and how to connect
 * @throws DtError `DT_INVALID_OPTION`, `DT_UNSAFE_CLIENT`; its methods `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT`
 * (after `timeout`, 1 s by default), `DT_STORE_UNSUITABLE`
 * @example const sink = redisStream({ stream: "failed", url: "redis://localhost:6379" });
 */
export function redisStream<Input, Result>(options: RedisStreamOptions): Sink<Input, Result> {
  const { stream, maxLength, batch, linger, ...address } = options;
  const key = checkName("stream", stream);
  const length = maxLength === undefined ? undefined : checkInteger("maxLength", maxLength, 1);
  const settings = checkBatch({ ...(batch !== undefined && { batch }), ...(linger !== undefined && { linger }) });
  const commands = new RedisCommands(address, OWN);
  const limit = length === undefined ? [] : ["MAXLEN", "~", String(length)];
  const send = (entries: readonly string[][]): Promise<void> =>
    run(
      commands,
      key,
      "xadd",
      entries.map((fields): Command => ["XADD", key, ...limit, "*", ...fields]),
    );
  const batches = new Batches({ ...settings, send, runtime: address.runtime ?? systemRuntime });
  return new RedisStream(commands, key, batches);
}

class RedisStream<Input, Result> implements Sink<Input, Result> {
  readonly #commands: RedisCommands;
  readonly #key: string;
  readonly #batches: Batches<string[]>;

  constructor(commands: RedisCommands, key: string, batches: Batches<string[]>) {
    this.#commands = commands;
    this.#key = key;
    this.#batches = batches;
  }

  /** Asks for the length: it says whether there is a server, and nothing but a stream below the key. */
  open(): Promise<void> {
    return run(this.#commands, this.#key, "xlen", [["XLEN", this.#key]]);
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    const fields = ["kind", ending.kind, "input", jsonOf(ending.input, ending)];
    if (ending.kind === "success") fields.push("output", jsonOf(ending.output, ending));
    else fields.push("error", ending.error);
    await this.#batches.add(
      fields,
      fields.reduce((bytes, field) => bytes + field.length, 0),
    );
  }

  flush(): Promise<void> {
    return this.#batches.flush();
  }

  async close(): Promise<void> {
    try {
      await this.#batches.close();
    } finally {
      this.#commands.close();
    }
  }
}

/** Sends commands; what the store's errors advise for its own keys is said for a stream. */
async function run(commands: RedisCommands, key: string, what: string, all: readonly Command[]): Promise<void> {
  try {
    await commands.run(what, all);
  } catch (error) {
    const reply = isDtError(error, "DT_STORE_UNSUITABLE") && error.cause instanceof Error ? error.cause.message : "";
    const remedy = remedyFor(reply, key);
    if (remedy === undefined) throw error;
    throw new DtError("DT_STORE_UNSUITABLE", `redis ${what} failed: ${reply}; ${remedy}`, { cause: error });
  }
}

function remedyFor(reply: string, key: string): string | undefined {
  if (reply.startsWith("WRONGTYPE")) return `${key} is no stream; give another name`;
  if (reply.startsWith("NOPERM")) return `the ACL user needs ~${key} +xadd +xlen`;
  return undefined;
}
