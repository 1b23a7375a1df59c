import type { Registration, View } from "@dt/core";
import type { Redis } from "ioredis";
import { groupKeys } from "../../src/keys.ts";
import { channelOf } from "../../src/listen.ts";
import { provenText } from "../../src/slot-hint.ts";
import { ScriptedLedger } from "./scripted-ledger.ts";

const SECRET = "secret";

/** The scripts on a real server, and the hints of slots that they send. */
export class HintedLedger extends ScriptedLedger {
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  readonly #prefix: string;
  /** Members by the names of their channels. */
  readonly #members = new Map<string, string>();
  #hints: string[] = [];

  /** @param subscriber a connection for the channels */
  constructor(redis: Redis, subscriber: Redis, prefix: string) {
    super(redis, prefix);
    this.#redis = redis;
    this.#subscriber = subscriber;
    this.#prefix = prefix;
    subscriber.on("message", (channel: string, message: string) => {
      const member = String(this.#members.get(channel));
      this.#hints.push(`${member} ${provenText(message, SECRET, member)}`);
    });
  }

  override async register(group: string, registration: Registration, clockMs: number): Promise<View> {
    const where = groupKeys(this.#prefix, group);
    await this.#redis.hset(where.hints, "secret", SECRET);
    const channel = channelOf(where, SECRET, registration.incarnation);
    if (!this.#members.has(channel)) await this.#subscriber.subscribe(channel);
    this.#members.set(channel, registration.incarnation);
    return super.register(group, registration, clockMs);
  }

  async slotHints(): Promise<readonly string[]> {
    // What was published before comes before this answer.
    await this.#subscriber.call("ping");
    return this.#hints.splice(0);
  }
}
