import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PackedPackage } from "../../src/smoke/pack.ts";
import { publishedPackages } from "./published.ts";

const OTHER = "7.8.9";

/** A program that has this version of core, imported and required, and beside it another one. */
const program = `
import { createRequire } from "node:module";
import { createGuard } from "@dt/adaptive";
import { runConformance } from "@dt/conformance";
import * as imported from "@dt/core";
import * as other from "./other/packages.mjs";

const required = createRequire(import.meta.url)("@dt/core");
const attempt = async (call) => {
  try {
    await call();
    return "done";
  } catch ({ code, message }) {
    return \`\${code}: \${message}\`;
  }
};

async function handOver(core) {
  const store = new core.MemoryStore();
  const throttle = core.createThrottle({ name: "calls", max: 10, store });
  const pacer = core.createPacer({ name: "calls", every: 1, store });
  return {
    isAnother: core.MemoryStore !== imported.MemoryStore,
    throttle: await attempt(async () => {
      const own = imported.createThrottle({ name: "own", max: 10, store });
      await own.start();
      await own.acquire();
      await own.stop();
    }),
    pacer: await attempt(async () => imported.createPacer({ name: "own", every: 1, store }).acquire()),
    guard: await attempt(async () => createGuard({ throttle, pacer })),
    conformance: (await runConformance(
      { name: "memory", capabilities: store.capabilities, sharesData: false, createStore: () => new core.MemoryStore() },
      { filter: "R1 " },
    )).failures.map(({ summary }) => summary),
  };
}

console.log(JSON.stringify({ required: await handOver(required), other: await handOver(other) }));
`;

interface HandedOver {
  readonly isAnother: boolean;
  readonly throttle: string;
  readonly pacer: string;
  readonly guard: string;
  readonly conformance: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), "dt-two-versions-"));
let version: string;
let outcome: { readonly required: HandedOver; readonly other: HandedOver };

beforeAll(async () => {
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  const packages = await publishedPackages(tarballs);
  const core = packages.find(({ manifest }) => manifest.name === "@dt/core") as PackedPackage;
  version = core.manifest.version ?? "";
  for (const name of ["core", "adaptive", "conformance"]) unpack(packages, name, folder);
  const copy = unpack(packages, "core", join(folder, "other"));
  publishAs(copy, OTHER);
  writeFileSync(join(folder, "other/packages.mjs"), 'export * from "@dt/core";\n');
  writeFileSync(join(folder, "program.mjs"), program);
  const { NODE_PATH: _, NODE_OPTIONS: __, ...env } = process.env;
  outcome = JSON.parse(execFileSync(process.execPath, ["program.mjs"], { cwd: folder, env, encoding: "utf8" }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function unpack(packages: readonly PackedPackage[], name: string, to: string): string {
  const { tarball } = packages.find(({ manifest }) => manifest.name === `@dt/${name}`) as PackedPackage;
  const path = join(to, "node_modules/@dt", name);
  mkdirSync(path, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", path, "--strip-components=1"]);
  return path;
}

/** Writes another version into a package: into its package.json, and where the build has put it. */
function publishAs(path: string, other: string): void {
  const scripts = readdirSync(join(path, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.c?js$/.test(file))
    .map((file) => join(path, "dist", file));
  const marked = scripts.filter((file) => replace(file, `"${version}"`, `"${other}"`));
  // Once imported and once required.
  expect(marked).toHaveLength(2);
  expect(replace(join(path, "package.json"), `"version": "${version}"`, `"version": "${other}"`)).toBe(true);
}

function replace(file: string, before: string, after: string): boolean {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(before, after));
  return text.includes(before);
}

it("copies of one version work together, one imported and one required", () => {
  expect(outcome.required).toEqual({
    isAnother: true,
    throttle: "done",
    pacer: "done",
    guard: "done",
    conformance: [],
  });
});

it("another version is loaded beside them, and refused wherever a store or a limiter is handed over", () => {
  const refused = (option: string): string =>
    `DT_INVALID_OPTION: ${option} was made with @dt/core ${OTHER} and is given to @dt/core ${version}; a program needs one version of @dt/core: "npm ls @dt/core" shows which packages ask for which, and "npm dedupe" or an update of one of them leaves one`;
  const { other } = outcome;
  expect(other.isAnother).toBe(true);
  expect(other.throttle).toBe(refused("store"));
  expect(other.pacer).toBe(refused("store"));
  expect([refused("throttle"), refused("pacer")]).toContain(other.guard);
  expect(other.conformance.length).toBeGreaterThan(0);
  for (const summary of other.conformance) expect(summary).toContain(`was made with @dt/core ${OTHER}`);
});
