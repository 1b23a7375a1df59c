import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import type { TimedLedger } from "@dt-tooling/simulator/permit-operations";
import type { Redis } from "ioredis";
import { permitKeys } from "../../src/keys.ts";
import { parsePermitSnapshot, parseReservation, refuseReply } from "../../src/reply/permits.ts";
import { releaseArguments, reserveArguments } from "../../src/script/arguments.ts";
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
    const reply = await this.#run(scripts.reserve, key, reserveArguments(request), clockMs);
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

  async #run(script: Script, key: string, args: readonly string[], clockMs: number): Promise<unknown> {
    const { keys, channel } = permitKeys(this.#prefix, key);
    await this.#redis.set("{dt-test}:clock", String(clockMs));
    return this.#redis.eval(script.text, keys.length, ...keys, channel, ...args);
  }
}
