import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../src/index.ts";
import { nodeBinary } from "../src/node-binary.ts";

const buildScript = join(import.meta.dirname, "../src/build.ts");
const folders: string[] = [];

/** A package in an empty folder; answers that folder. */
function packageOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "dt-build-"));
  folders.push(folder);
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function build(folder: string): string {
  return execFileSync(process.execPath, [buildScript], { cwd: folder, encoding: "utf8" });
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const manifest = JSON.stringify({
  name: "x",
  type: "module",
  exports: {
    ".": {
      import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
      require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
    },
  },
});

describe("the build of a package", () => {
  it("writes both module formats with their types, and Lua and SQL as text", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": JSON.stringify({ compilerOptions: { target: "es2022", module: "preserve", noEmit: true } }),
      "src/index.ts":
        'import lua from "./a.lua";\nimport sql from "./b.sql";\nexport const both: string = lua + sql;\n',
      "src/text.d.ts":
        'declare module "*.lua" { const t: string; export default t; }\ndeclare module "*.sql" { const t: string; export default t; }\n',
      "src/a.lua": "-- One.\nreturn 1;",
      "src/b.sql": "SELECT 1",
    });
    build(folder);
    expect(readdirSync(join(folder, "dist")).filter((name) => !name.endsWith(".map"))).toEqual([
      "index.cjs",
      "index.d.cts",
      "index.d.ts",
      "index.js",
    ]);
    for (const [name, script] of [
      ["index.cjs", "process.stdout.write(require('./dist/index.cjs').both)"],
      ["index.js", "import('./dist/index.js').then((x) => process.stdout.write(x.both))"],
    ] as const) {
      const output = execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" });
      expect(output, name).toBe("return 1;SELECT 1");
    }
    expect(readFileSync(join(folder, "dist/index.d.cts"), "utf8")).toContain("declare const both: string");
  });

  it("leaves comments to declarations and sources, to which a stack trace leads", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/index.ts": `/** Fails. */\nexport function fail(): never {\n  // At once.\n  throw new Error("here"); // Always.\n}\n`,
    });
    build(folder);
    for (const [name, script] of [
      ["index.cjs", "require('./dist/index.cjs').fail()"],
      ["index.js", "import('./dist/index.js').then((x) => x.fail())"],
    ] as const) {
      expect(readFileSync(join(folder, "dist", name), "utf8"), name).not.toMatch(/Fails|At once|Always/);
      expect(readFileSync(join(folder, `dist/${name}.map`), "utf8"), name).not.toContain(folder);
      const { stderr } = spawnSync(process.execPath, ["--enable-source-maps", "-e", script], { cwd: folder });
      expect(String(stderr), name).toContain(`${join(realpathSync(folder), "src/index.ts")}:4:`);
    }
    expect(readFileSync(join(folder, "dist/index.d.ts"), "utf8")).toContain("/** Fails. */");
  });

  it("brings along what the language has and the oldest Node has not", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/index.ts":
        "export function told(): string[] {\n  const words: string[] = [];\n  {\n    using _ = { [Symbol.dispose]: () => words.push('closed') };\n    words.push('open');\n  }\n  return words;\n}\n",
    });
    build(folder);
    const script = "process.stdout.write(require('./dist/index.cjs').told().join())";
    expect(execFileSync(nodeBinary(20), ["-e", script], { cwd: folder, encoding: "utf8" })).toBe("open,closed");
  });

  it("brings along what is ours and not published, so that nobody has to find it", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/index.ts":
        'import { nodeBinary } from "@dt-tooling/bootstrap/node-binary";\nexport const name: string = nodeBinary.name;\n',
    });
    build(folder);
    expect(readFileSync(join(folder, "dist/index.js"), "utf8")).not.toContain("@dt-tooling");
    const script = "import('./dist/index.js').then((x) => process.stdout.write(x.name))";
    expect(execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" })).toBe("nodeBinary");
  });

  it("says so, and does nothing, while the package has no sources", () => {
    expect(build(packageOf({ "package.json": manifest }))).toBe("x has no sources yet\n");
  });

  it("fails when an export has no source", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/other.ts": "export const n = 1;\n",
    });
    expect(() => execFileSync(process.execPath, [buildScript], { cwd: folder, stdio: "pipe" })).toThrow(
      /src\/index\.ts/,
    );
  });

  it("imports nothing in declarations but types that stand in them", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/index.ts": 'export { sizeOf } from "./two.ts";\n',
      "src/two.ts":
        'import type { Stats } from "node:fs";\nimport type { CpuInfo } from "node:os";\nexport const sizeOf = (stats: Stats): number => stats.size;\nexport const speedOf = (cpu: CpuInfo): number => cpu.speed;\n',
    });
    build(folder);
    for (const name of ["index.d.ts", "index.d.cts"]) {
      const text = readFileSync(join(folder, "dist", name), "utf8");
      expect(text, name).toMatch(/^import .*Stats.* from "node:fs";$/m);
      expect(text, name).not.toContain("node:os");
    }
  });

  it("says which type is to be written out, where declarations cannot be made from the file alone", () => {
    const folder = packageOf({
      "package.json": manifest,
      "tsconfig.json": "{}",
      "src/index.ts": 'import { homedir } from "node:os";\nexport const home = homedir();\n',
    });
    expect(() => execFileSync(process.execPath, [buildScript], { cwd: folder, stdio: "pipe" })).toThrow(
      /TS9010: Variable must have an explicit type annotation[\s\S]*export const home = homedir\(\)/,
    );
  });
});
