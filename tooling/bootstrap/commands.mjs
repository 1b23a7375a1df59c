/**
 * The commands of the root package.json: what each needs built (a turbo filter) and what then runs under the pinned Node.
 * Files ending in .ts run from source: Node 24 strips their types. With `sources` the packages that they import do, too.
 *
 * @type {Readonly<Record<string, { build: string | undefined, file: string, args: readonly string[], sources?: true }>>}
 */
export const commands = {
  test: { build: undefined, file: "tooling/checks/src/check/main.ts", args: [] },
  ci: { build: undefined, file: "tooling/checks/src/check/ci.ts", args: [] },
  proof: { build: undefined, file: "tooling/checks/src/proof/main.ts", args: [] },
  demo: { build: "@dt/cli", file: "apps/cli/dist/main.js", args: ["demo"] },
  status: { build: "@dt/cli", file: "apps/cli/dist/main.js", args: ["status"] },
  pipe: { build: "@dt/cli", file: "apps/cli/dist/main.js", args: ["pipe"] },
  "pipe-proof": { build: "@dt/cli", file: "apps/cli/test/pipe-proof/main.ts", args: [] },
  console: { build: "@dt/cli", file: "apps/cli/dist/main.js", args: ["console"] },
  callee: { build: "@dt/cli", file: "apps/cli/dist/main.js", args: ["callee"] },
  conformance: { build: undefined, file: "tooling/checks/src/conformance/main.ts", args: [] },
  bench: { build: "@dt-tooling/bench", file: "bench/src/main.ts", args: [] },
  permits: { build: undefined, file: "tooling/processes/src/permits/main.ts", args: [], sources: true },
  "in-flight": { build: undefined, file: "tooling/processes/src/in-flight/main.ts", args: [], sources: true },
  budgets: { build: undefined, file: "tooling/processes/src/budgets/main.ts", args: [], sources: true },
  limits: { build: undefined, file: "tooling/processes/src/limits/main.ts", args: [], sources: true },
  model: { build: undefined, file: "tooling/model/src/main.ts", args: [], sources: true },
  simulate: { build: "@dt/adaptive", file: "tooling/simulator/src/callee/main.ts", args: [] },
  soak: { build: undefined, file: "tooling/simulator/src/fleet/main.ts", args: [], sources: true },
  shares: { build: undefined, file: "tooling/simulator/src/fleet/shares/main.ts", args: [], sources: true },
  semaphore: { build: undefined, file: "tooling/simulator/src/semaphores/main.ts", args: [], sources: true },
  "version-packages": { build: undefined, file: "tooling/checks/src/release/version.ts", args: [] },
  release: { build: undefined, file: "tooling/checks/src/release/main.ts", args: [] },
  sizes: { build: undefined, file: "tooling/checks/src/sizes/main.ts", args: [] },
  consumers: { build: undefined, file: "tooling/checks/src/consumers/main.ts", args: [] },
  site: { build: undefined, file: "apps/docs/src/main.ts", args: [] },
  chaos: { build: undefined, file: "tooling/processes/src/chaos/main.ts", args: [], sources: true },
};
