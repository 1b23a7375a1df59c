import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";

/** What figures were measured on. */
export interface Machine {
  readonly cpu: string;
  /** Logical processors this process may use. */
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly v8: string;
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    system: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
    v8: process.versions.v8,
  };
}
