import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "@dt-tooling/bootstrap";
import { afterEach, describe, expect, it } from "vitest";
import { checkPackaging } from "../../src/check/packaging.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const sound = {
  name: "example",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  engines: { node: ">=20.19" },
  publishConfig: { access: "public", provenance: true },
  files: ["dist"],
  exports: {
    ".": {
      import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
      require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
    },
  },
};
const files = {
  LICENSE: "MIT",
  "dist/index.js": "export const a = 1;\n",
  "dist/index.cjs": '"use strict";\nexports.a = 1;\n',
  "dist/index.d.ts": "export declare const a: number;\n",
  "dist/index.d.cts": "export declare const a: number;\n",
};

async function check(manifest: Manifest, content: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), "dt-packaging-"));
  folders.push(path);
  for (const [name, text] of Object.entries({ ...content, "package.json": JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  execFileSync("npm", ["pack"], { cwd: path, stdio: "pipe" });
  return checkPackaging({ folder: "packages/example", path, manifest, tarball: join(path, "example-1.0.0.tgz") });
}

describe("the packaging checks", () => {
  it("pass a package with types first, for both module formats", async () => {
    expect(await check(sound, files)).toEqual([
      { name: "example: publint", status: "passed" },
      { name: "example: licence and provenance", status: "passed" },
      { name: "example: source maps", status: "passed" },
      { name: "example: types resolve", status: "passed" },
    ]);
  });

  it("fail when one declaration file serves both formats", async () => {
    const both = { types: "./dist/index.d.ts", import: "./dist/index.js", require: "./dist/index.cjs" };
    const results = await check({ ...sound, exports: { ".": both } }, files);
    expect(results[3]).toMatchObject({ name: "example: types resolve", status: "failed" });
  });

  it("fail when a file named in exports is not packed", async () => {
    const { "dist/index.cjs": _, ...incomplete } = files;
    const [publint] = await check(sound, incomplete);
    expect(publint).toMatchObject({ status: "failed", reason: expect.stringContaining("dist/index.cjs") });
  });

  it("fail when a source map repeats its sources, or leads to none", async () => {
    const map = {
      version: 3,
      sources: ["../src/index.ts", "/build/index.cjs"],
      sourcesContent: ["", ""],
      mappings: "",
    };
    const [, , maps] = await check(sound, { ...files, "dist/index.js.map": JSON.stringify(map) });
    expect(maps).toMatchObject({
      status: "failed",
      reason: [
        "dist/index.js.map names ../src/index.ts, which is not in the tarball",
        "dist/index.js.map names /build/index.cjs, which is not in the tarball",
        "dist/index.js.map repeats its sources",
      ].join("\n"),
    });
    const led = JSON.stringify({ ...map, sources: ["index.js"], sourcesContent: undefined });
    expect((await check(sound, { ...files, "dist/index.js.map": led }))[2]).toMatchObject({ status: "passed" });
  });

  it("fail without a LICENSE in the tarball, or without provenance", async () => {
    const { LICENSE: _, ...unlicensed } = files;
    const { publishConfig: __, ...unproven } = sound;
    const [, legal] = await check(unproven, unlicensed);
    expect(legal).toMatchObject({
      status: "failed",
      reason: "the tarball has no LICENSE\npublishConfig.provenance is not true",
    });
  });
});
