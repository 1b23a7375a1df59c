import { spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ServiceUser } from "./service-user.ts";

const watchdogScript = fileURLToPath(new URL("./watchdog.sh", import.meta.url));

/**
 * A server's temporary folder, with a watchdog that removes it and kills the server when this process dies, however it
 * dies: the watchdog holds the end of a pipe that the kernel closes with us. It runs in a session of its own, so that
 * Ctrl-C in a terminal does not take it along.
 */
export class Sandbox {
  readonly folder: string;
  /** Whom the server runs as and the files belong to; `undefined`: us. */
  readonly user: ServiceUser | undefined;
  readonly #watchdog: Writable;

  private constructor(folder: string, user: ServiceUser | undefined) {
    this.folder = folder;
    this.user = user;
    const child = spawn("sh", [watchdogScript, folder], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => {}); // Told below: every message to a watchdog that is not there fails.
    this.#watchdog = child.stdin;
    this.#watchdog.on("error", () => {});
  }

  static async create(name: string, user?: ServiceUser): Promise<Sandbox> {
    const folder = await mkdtemp(join(tmpdir(), `dt-${name}-`));
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    return new Sandbox(folder, user);
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Makes a folder inside, owned by the server's user. */
  async makeFolder(name: string): Promise<string> {
    const folder = this.path(name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.user !== undefined) await chown(folder, this.user.uid, this.user.gid);
    return folder;
  }

  /** Gives files written by us to the server's user, for its eyes only. */
  async own(...files: string[]): Promise<void> {
    for (const file of files) {
      await chmod(file, 0o600);
      if (this.user !== undefined) await chown(file, this.user.uid, this.user.gid);
    }
  }

  /**
   * Names the process to kill should this one die; `undefined` when none runs. Resolves when the watchdog is sure to
   * learn it.
   */
  watch(pid: number | undefined): Promise<void> {
    return this.#tell(pid === undefined ? "pid" : `pid ${pid}`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (!this.#watchdog.writableEnded) {
      await this.#tell("done");
      this.#watchdog.end();
    }
  }

  #tell(message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#watchdog.write(`${message}\n`, (error) => {
        if (error) reject(new Error(`the watchdog of ${this.folder} is gone`, { cause: error }));
        else resolve();
      });
    });
  }
}
