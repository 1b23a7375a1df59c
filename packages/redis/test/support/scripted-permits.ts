import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { TimedLedger } from "@dt-tooling/simulator/permit-operations";
import type { Redis } from "ioredis";
import { limitKey, permitKeys } from "../../src/keys.ts";
import { parsePermitSnapshot, parseReservation, refuseReply } from "../../src/reply/permits.ts";
import { limitArguments, releaseArguments, reserveArguments } from "../../src/script/arguments.ts";
import type { Script } from "../../src/script/scripts.ts";
import { scriptsWithClock } from "../../src/script/scripts.ts";
import testClock from "./test-clock.lua";

const scripts = scriptsWithClock(testClock);

/** The scripts of permits on a real server, at the time that the caller says. */
export class ScriptedPermits implements TimedLedger {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async reserve(key: string, request: PermitRequest, clockMs: number): Promise<Reservation> {
    const record = request.stored ? [this.#recordKey(key)] : [];
    const reply = await this.#run(scripts.reserve, key, reserveArguments(request), clockMs, record);
    refuseReply(reply, key, request.terms);
    return parseReservation(reply);
  }

  async reset(key: string, clockMs: number): Promise<void> {
    await this.#run(scripts.reset, key, [], clockMs);
  }

  async release(key: string, release: PermitRelease, clockMs: number): Promise<void> {
    await this.#run(scripts.release, key, releaseArguments(release), clockMs);
  }

  async inspect(key: string, clockMs: number): Promise<PermitSnapshot | undefined> {
    return parsePermitSnapshot(await this.#run(scripts.inspectPermits, key, [], clockMs), key);
  }

  async setLimit(key: string, record: LimitRecordRow): Promise<void> {
    await this.#redis.eval(scripts.writeLimit.text, 1, this.#recordKey(key), "", ...limitArguments(null, record));
  }

  #recordKey(name: string): string {
    return limitKey(this.#prefix, { kind: "permits", name });
  }

  async #run(
    script: Script,
    key: string,
    args: readonly string[],
    clockMs: number,
    others: readonly string[] = [],
  ): Promise<unknown> {
    const { keys: own, channel } = permitKeys(this.#prefix, key);
    const keys = [...own, ...others];
    await this.#redis.set("{dt-test}:clock", String(clockMs));
    return this.#redis.eval(script.text, keys.length, ...keys, channel, ...args);
  }
}
