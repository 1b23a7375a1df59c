import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { internalDependencies } from "../../src/smoke/consumers.ts";
import type { PackedPackage } from "../../src/smoke/pack.ts";
import { publishedPackages } from "./published.ts";

const COMMAND_TIMEOUT_MS = 180_000;

/**
 * How this machine reaches its registry. The settings of npm that lie beside its Node are not found from the pinned
 * Node, which runs here.
 */
const OF_THE_MACHINE = /^npm_config_(globalconfig|userconfig|registry|cafile|proxy|https_proxy|noproxy)$/;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Somebody with an empty folder and the packages as they would be published. */
export class Stranger {
  readonly folder = mkdtempSync(join(tmpdir(), "dt-stranger-"));
  readonly #tarballs = mkdtempSync(join(tmpdir(), "dt-stranger-tarballs-"));
  #packages: readonly PackedPackage[] = [];
  #usedNpx = false;

  /** Packs everything that is published, where `npm test` has not. */
  async pack(): Promise<void> {
    this.#packages = await publishedPackages(this.#tarballs);
  }

  /**
   * Runs a line of a shell in the folder. Packages of this repository are installed from their tarballs, by their
   * names; and what npx ran once is then run without npx, which takes a second each time to find it.
   */
  run(line: string): Finished {
    const { NODE_PATH: _, NODE_OPTIONS: __, ...inherited } = process.env;
    const env = Object.fromEntries(
      Object.entries(inherited).filter(([name]) => !name.startsWith("npm_") || OF_THE_MACHINE.test(name)),
    );
    const { status, stdout, stderr, error } = spawnSync("sh", ["-c", this.#withoutNpx(this.#fromTarballs(line))], {
      cwd: this.folder,
      encoding: "utf8",
      env: {
        ...env,
        NO_COLOR: "1",
        npm_config_prefer_offline: "true",
        npm_config_audit: "false",
        npm_config_fund: "false",
      },
      timeout: COMMAND_TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: 256 * 1024 * 1024, // A report holds the history of every failure.
    });
    if (error) throw error;
    return { code: status, stdout, stderr };
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** @throws Error unless the text is in the file exactly once */
  replace(name: string, before: string, after: string): void {
    const parts = readFileSync(join(this.folder, name), "utf8").split(before);
    if (parts.length !== 2) throw new Error(`${name} has this ${parts.length - 1} times: ${before}`);
    this.write(name, parts.join(after));
  }

  /** Removes the folders. */
  leave(): void {
    for (const folder of [this.folder, this.#tarballs]) rmSync(folder, { recursive: true, force: true });
  }

  #withoutNpx(line: string): string {
    const [, rest] = /^npx @dt\/cli (.*)$/.exec(line) ?? [];
    if (rest === undefined) return line;
    const again = this.#usedNpx;
    this.#usedNpx = true;
    return again ? `node_modules/.bin/dt ${rest}` : line;
  }

  #fromTarballs(line: string): string {
    if (!line.startsWith("npm install ")) return line;
    const words = line.split(" ").flatMap((word) => {
      const named = this.#packages.find(({ manifest }) => manifest.name === word);
      return named ? [named, ...internalDependencies(named, this.#packages)].map(({ tarball }) => tarball) : [word];
    });
    return [...new Set(words)].join(" ");
  }
}
