import { rm } from "node:fs/promises";
import { leasePort, type PortLease, withFreshPorts } from "./ports.ts";
import type { RestartOptions, RunningServer } from "./running-server.ts";
import { Sandbox } from "./sandbox.ts";
import { type LaunchPlan, ServerProcess } from "./server-process.ts";
import type { ServiceUser } from "./service-user.ts";

/** What a kind of server adds: how to lay out its folder and how to launch it on a port. */
export interface ServerKind {
  readonly name: string;
  readonly user?: ServiceUser | undefined;
  /** Writes the configuration. Runs once, before the first start. */
  readonly prepare?: (sandbox: Sandbox, port: number) => Promise<void>;
  /** Fills an empty data folder (initdb). Runs before the first start and after data were thrown away. */
  readonly initialise?: (sandbox: Sandbox, port: number) => Promise<void>;
  /** Gives back what a killed server leaves outside its folder. Runs before the data folder goes. */
  readonly discard?: (sandbox: Sandbox) => Promise<void>;
  /** How to start it. Asked before each start, after `prepare`. */
  readonly plan: (sandbox: Sandbox, port: number) => LaunchPlan;
}

/** A server that is a process of ours: own folder, own port, own watchdog. */
export class LocalServer implements RunningServer {
  readonly origin = "local";
  readonly canControl = true;
  readonly host = "127.0.0.1";
  readonly #sandbox: Sandbox;
  readonly #kind: ServerKind;
  readonly #lease: PortLease;
  readonly #process: ServerProcess;
  #stopping: Promise<void> | undefined;

  private constructor(kind: ServerKind, sandbox: Sandbox, lease: PortLease) {
    this.#kind = kind;
    this.#sandbox = sandbox;
    this.#lease = lease;
    this.#process = new ServerProcess(sandbox, kind.name, () => kind.plan(sandbox, lease.port));
  }

  static start(kind: ServerKind): Promise<LocalServer> {
    return withFreshPorts(async () => LocalServer.startOn(await leasePort(), kind));
  }

  /** Starts on a port leased before, for nodes that must know each other's; the lease becomes the server's. */
  static async startOn(lease: PortLease, kind: ServerKind): Promise<LocalServer> {
    const server = new LocalServer(kind, await Sandbox.create(kind.name, kind.user), lease);
    try {
      await kind.prepare?.(server.#sandbox, lease.port);
      await server.#fillDataFolder();
      await server.#process.start();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get folder(): string {
    return this.#sandbox.folder;
  }

  get port(): number {
    return this.#lease.port;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  pause(): Promise<void> {
    return this.#process.pause();
  }

  resume(): Promise<void> {
    return this.#process.resume();
  }

  async restart({ keepData }: RestartOptions): Promise<void> {
    if (this.#stopping !== undefined) throw new Error(`restart: ${this.#kind.name} has been stopped for good`);
    if (keepData) {
      await this.#process.terminate();
    } else {
      await this.#process.kill();
      await this.#kind.discard?.(this.#sandbox);
      await rm(this.#sandbox.path("data"), { recursive: true, force: true });
      await this.#fillDataFolder();
    }
    await this.#process.start();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #fillDataFolder(): Promise<void> {
    await this.#sandbox.makeFolder("data");
    await this.#kind.initialise?.(this.#sandbox, this.port);
  }

  async #end(): Promise<void> {
    try {
      await this.#process.kill();
      await this.#kind.discard?.(this.#sandbox);
    } finally {
      await this.#lease.release();
      await this.#sandbox.remove();
    }
  }
}
