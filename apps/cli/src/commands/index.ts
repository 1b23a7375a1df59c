import type { CommandDefinition } from "./command.ts";

/** Every command, in the order of the help. A new one is a file here and a line below. */
const loaders: Readonly<Record<string, () => Promise<CommandDefinition>>> = {
  demo: async () => (await import("./demo.ts")).demo,
  conformance: async () => (await import("./conformance.ts")).conformance,
  status: async () => (await import("./status.ts")).status,
  console: async () => (await import("./console.ts")).console,
  limit: async () => (await import("./limit.ts")).limit,
  repair: async () => (await import("./repair.ts")).repair,
  "check-spec": async () => (await import("./check-spec.ts")).checkSpecCommand,
  simulate: async () => (await import("./simulate.ts")).simulate,
  capacity: async () => (await import("./capacity.ts")).capacity,
  callee: async () => (await import("./callee.ts")).callee,
  pipe: async () => (await import("./pipe.ts")).pipe,
  "demo-process": async () => (await import("./demo-process.ts")).demoProcess,
};

/** The command of this name alone, so that a start loads no other; all of them where no command has it. */
export async function commandsFor(name = ""): Promise<readonly CommandDefinition[]> {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return load === undefined ? Promise.all(Object.values(loaders).map((each) => each())) : [await load()];
}
