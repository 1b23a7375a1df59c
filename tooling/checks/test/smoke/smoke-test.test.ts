import type { Manifest } from "@dt-tooling/bootstrap";
import { afterEach, describe, expect, it } from "vitest";
import { smokeTest } from "../../src/smoke/index.ts";
import { pack, removePacked } from "./packed.ts";

const manifest: Manifest = {
  name: "example",
  version: "1.0.0",
  engines: { node: ">=20.19" },
  exports: { ".": { import: "./index.mjs", require: "./index.cjs" } },
};

afterEach(removePacked);

async function failures(files: Readonly<Record<string, string>>): Promise<string[]> {
  const results = await smokeTest([pack(manifest, files)], () => {});
  return results.filter(({ status }) => status === "failed").map(({ name, reason }) => `${name}: ${reason}`);
}

describe("the smoke test of a packed package", () => {
  it("imports and requires it under every Node it supports", async () => {
    const files = { "index.mjs": "export const a = 1;", "index.cjs": "exports.a = 1;" };
    const seen: string[] = [];
    const results = await smokeTest([pack(manifest, files)], ({ name }) => seen.push(name));
    expect(results.map(({ status, name }) => `${status} ${name}`)).toEqual([
      "passed example: install",
      ...[20, 22, 24].flatMap((major) => [
        `passed example under Node ${major}: import`,
        `passed example under Node ${major}: require, with the same exports`,
      ]),
    ]);
    expect(seen).toEqual(results.map(({ name }) => name));
  });

  it("shows the Node versions that are not promised", async () => {
    const files = { "index.mjs": "export const a = 1;", "index.cjs": "exports.a = 1;" };
    const results = await smokeTest([pack({ ...manifest, engines: { node: ">=22.13" } }, files)], () => {});
    expect(results.filter(({ status }) => status === "excluded")).toEqual([
      {
        name: "example under Node 20: nothing is promised for 20.19.0",
        status: "excluded",
        reason: "engines.node is >=22.13",
      },
    ]);
    expect(results).toHaveLength(6);
  });

  it("uses it with the oldest major version of each peer that it takes, too", async () => {
    // Cannot be loaded but with version 5.
    const files = {
      "index.mjs":
        'import { createRequire } from "node:module"; export const [a] = { 5: [1] }[createRequire(import.meta.url)("ioredis/package.json").version[0]];',
    };
    const { exports: _, ...rest } = manifest;
    const engines = { node: ">=24" };
    const peers = {
      ...rest,
      engines,
      exports: { ".": { import: "./index.mjs" } },
      peerDependencies: { ioredis: ">=5" },
      devDependencies: { ioredis: "^6.0.0" },
    };
    const results = await smokeTest([pack(peers, files)], () => {});
    const told = results.filter(({ status }) => status !== "excluded").map(({ status, name }) => `${status} ${name}`);
    expect(told.sort()).toEqual([
      "failed example under Node 24: import",
      "passed example beside ioredis 5 under Node 24: import",
      "passed example beside ioredis 5: install",
      "passed example: install",
    ]);
  });

  it("fails when a dependency is not declared", async () => {
    const files = { "index.mjs": 'import "ioredis"; export const a = 1;', "index.cjs": "exports.a = 1;" };
    expect(await failures(files)).toContainEqual(expect.stringContaining("Cannot find package 'ioredis'"));
  });

  it("fails when requiring gives other exports than importing", async () => {
    const files = { "index.mjs": "export const a = 1;", "index.cjs": "exports.b = 1;" };
    expect(await failures(files)).toHaveLength(3);
  });

  it("fails when a file is missing from the tarball", async () => {
    expect(await failures({ "index.mjs": "export const a = 1;" })).toHaveLength(3);
  });

  it("fails when the package cannot be installed", async () => {
    const files = { "index.mjs": "export const a = 1;", "index.cjs": "exports.a = 1;" };
    const broken = { ...pack(manifest, files), tarball: "/nowhere/example-1.0.0.tgz" };
    const results = await smokeTest([broken], () => {});
    expect(results).toEqual([
      { name: "example: install", status: "failed", reason: expect.stringContaining("/nowhere/example-1.0.0.tgz") },
    ]);
  });
});
