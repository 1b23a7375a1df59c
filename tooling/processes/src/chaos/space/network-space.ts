import { randomBytes, randomInt } from "node:crypto";
import { shell } from "./shell.ts";

const PREFIX = "dt-chaos";

/** Where packets of a partitioned worker are lost. */
export type Direction = "both" | "in" | "out";

/**
 * A network namespace for one worker, with one cable to this machine: what iptables drops in it is lost as in a real
 * network, with retransmissions and connections that are open on one side. Its traffic never leaves this machine.
 */
export class NetworkSpace {
  /** This machine's address as seen from inside. */
  readonly hostAddress: string;
  readonly #name: string;

  private constructor(name: string, hostAddress: string) {
    this.#name = name;
    this.hostAddress = hostAddress;
  }

  /** @throws Error where namespaces are not permitted, or their tools missing */
  static async create(): Promise<NetworkSpace> {
    await removeOrphans();
    const unique = randomBytes(5).toString("hex");
    const name = `${PREFIX}-${process.pid}-${unique}`;
    const { outside, inside } = await freeAddresses();
    const space = new NetworkSpace(name, outside);
    const cable = cableOf(name);
    try {
      await shell("ip", "netns", "add", name);
      await shell("ip", "link", "add", cable, "type", "veth", "peer", "name", "dt0", "netns", name);
      await shell("ip", "addr", "add", `${outside}/30`, "dev", cable);
      await shell("ip", "link", "set", cable, "up");
      await space.#inside("ip", "addr", "add", `${inside}/30`, "dev", "dt0");
      await space.#inside("ip", "link", "set", "dt0", "up");
      await space.#inside("ip", "link", "set", "lo", "up");
      await space.partition("both");
      await space.mend();
    } catch (error) {
      await space.remove();
      throw error;
    }
    return space;
  }

  /** What starts a command inside. */
  get prefix(): readonly string[] {
    return ["ip", "netns", "exec", this.#name];
  }

  async partition(direction: Direction): Promise<void> {
    if (direction !== "out") await this.#inside("iptables", "-A", "INPUT", "-i", "dt0", "-j", "DROP");
    if (direction !== "in") await this.#inside("iptables", "-A", "OUTPUT", "-o", "dt0", "-j", "DROP");
  }

  async mend(): Promise<void> {
    await this.#inside("iptables", "-F");
  }

  /** Removes the namespace and its cable. */
  async remove(): Promise<void> {
    await removeNamed(this.#name).catch(() => undefined);
  }

  async #inside(command: string, ...args: readonly string[]): Promise<void> {
    const [ip, ...rest] = this.prefix as [string, ...string[]];
    await shell(ip, ...rest, command, ...args);
  }
}

/** Two free addresses of a network of their own, in a range that no network uses in public. */
async function freeAddresses(): Promise<{ readonly outside: string; readonly inside: string }> {
  const used = await shell("ip", "-o", "-4", "addr");
  for (;;) {
    const network = randomInt(0, 256 * 64);
    const [third, fourth] = [network >> 6, (network & 63) * 4];
    const [outside, inside] = [`10.213.${third}.${fourth + 1}`, `10.213.${third}.${fourth + 2}`];
    if (!used.includes(` ${outside}/`)) return { outside, inside };
  }
}

/** Removes the namespaces of runs whose process was killed. */
async function removeOrphans(): Promise<void> {
  for (const line of (await shell("ip", "netns", "list")).split("\n")) {
    const [, name, pid] = /^(dt-chaos-(\d+)-[0-9a-f]+)/.exec(line) ?? [];
    if (name !== undefined && !isAlive(Number(pid))) await removeNamed(name);
  }
}

/** The cable first, since the kernel takes it away only some time after its namespace. */
async function removeNamed(name: string): Promise<void> {
  await shell("ip", "link", "del", cableOf(name)).catch(() => undefined);
  await shell("ip", "netns", "del", name);
}

/** The name of a namespace's cable, at most 15 characters. */
function cableOf(name: string): string {
  return `dtc-${name.slice(name.lastIndexOf("-") + 1)}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
