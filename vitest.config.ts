import { join } from "node:path";
import { decorators, sourcesOf, textFiles, workspacePackages } from "@dt-tooling/bootstrap";
import { defineConfig, type ViteUserConfig } from "vitest/config";

// Hundreds of tests start processes that run the sources: what Node has stripped and compiled once, the next process
// takes as it is.
const { NODE_COMPILE_CACHE = join(import.meta.dirname, "node_modules/.cache/compiled") } = process.env;
Object.assign(process.env, { NODE_COMPILE_CACHE });

const packages = workspacePackages();

/** Packages import each other by name; in tests that is the source, so nothing has to be built first. */
const alias = packages.flatMap(({ path, manifest }) =>
  [...sourcesOf(manifest)].map(([name, source]) => ({
    find: new RegExp(`^${name}$`),
    replacement: join(path, source),
  })),
);

/**
 * Files that compute, and leave nothing behind in their process: they share processes, and what is loaded there.
 * Nothing in them may have to be on time, as a member of a group in real time has.
 */
const PURE = [
  "packages/{cas,core}/test/**/*.test.ts",
  "packages/adaptive/test/{outcome/{classify,unanswered},{algorithms,limit,throttle,retry,rate,guard}/**/*}.test.ts",
  "packages/conformance/test/{check-permit-history,check-spend-history,chosen-cases,leased-units,report,use}.test.ts",
  "packages/adaptive/test/answer/*.test.ts",
  "packages/*/test/simulation/*.test.ts",
  "packages/{redis,postgres,sqlite}/test/{options,driver-error,literal,reply,budgets-reply,server-error}.test.ts",
  "packages/pipeline/test/engine/*.test.ts",
  "packages/numaflow/test/{defaults,go-duration,inheritance,pages,problems,published-specs,ramp,resources}.test.ts",
  "packages/http/test/server/{fetch,overload,quota,shared}.test.ts",
  "packages/signal/test/{limits,protocol/frames}.test.ts",
  "packages/pod-count/test/{ordinal,overshoot,promise,roster,store-member,store-members}.test.ts",
  "packages/pipeline/test/{checkpoint/progress,sinks/batches}.test.ts",
  "apps/cli/test/{capacity/search,capacity/step,pipe/{judge,progress,records,template},simulate/*,store-address}.test.ts",
  "apps/cli/test/console/page/{bands,contrast,format,lines,route,rows,state}.test.ts",
  "apps/cli/test/callee/{production,provider-forms}.test.ts",
  "apps/docs/test/{drawing,options,pages,site-page}.test.ts",
  "apps/cli/test/fleet/{explain-member,judge-ledger,judge-others,report,verdict}.test.ts",
  "apps/cli/test/console/{collector,history,marks,preview}.test.ts",
  "apps/cli/test/demo/{chart,convergence,jitter,rate,server-view,sliding-window,text,utilisation,verdict,words}.test.ts",
  "bench/test/{performance-page,plots,report,statistics,stores-page}.test.ts",
  "tooling/{model,simulator}/test/**/*.test.ts",
  "tooling/backends/test/callee/{call-limits,sliding-quota}.test.ts",
  "tooling/checks/test/conformance/{options,report,results,slow-store}.test.ts",
  "tooling/checks/test/release/{changelog,plan,preflight}.test.ts",
  "tooling/processes/test/chaos/{check-history,fault-runner,overshoot,plan-faults,recovery}.test.ts",
  "tooling/processes/test/permits/{judge,measure,options}.test.ts",
  "tooling/bootstrap/test/{entries,language,runtime-only,text-files}.test.ts",
  "tooling/checks/test/smoke/{node-range,readme-examples}.test.ts",
];

/** What every run of tests has in common. */
export const shared = {
  plugins: [textFiles(), decorators()],
  resolve: { alias },
  test: {
    // For a run by hand; the gate has its own numbers.
    maxWorkers: 2,
    // Tests that run side by side mostly wait, each for a server or a window of its own.
    maxConcurrency: 6,
    // Files share processes: each leaves nothing behind in its own, and ends what it starts.
    isolate: false,
    // Against hangs only: nothing is timed by it, and a busy machine may be slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
} satisfies ViteUserConfig;

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    projects: [
      // Long computations.
      { extends: true, test: { name: "pure", include: PURE } },
      // Everything else starts servers and processes, and mostly waits for them.
      {
        extends: true,
        test: { name: "real", include: ["**/test/**/*.test.ts"], exclude: ["**/node_modules", ...PURE] },
      },
    ],
  },
});
