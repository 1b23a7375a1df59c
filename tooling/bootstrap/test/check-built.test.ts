import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const script = join(import.meta.dirname, "../check-built.mjs");

it("a package that is not built cannot be packed", () => {
  const folder = mkdtempSync(join(tmpdir(), "dt-not-built-"));
  try {
    const manifest = { name: "example", version: "1.0.0", files: ["dist"], exports: "./dist/index.js" };
    const scripts = { prepack: `node ${script}` };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, scripts }));
    const pack = () => spawnSync("npm", ["pack"], { cwd: folder, encoding: "utf8" });
    const refused = pack();
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("example is not built: ./dist/index.js missing");
    mkdirSync(join(folder, "dist"));
    writeFileSync(join(folder, "dist/index.js"), "");
    expect(pack().status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("every package that is published checks that it is built", () => {
  const cwd = join(import.meta.dirname, "../../..");
  const published = globSync("{packages,apps}/*/package.json", { cwd })
    .map((file) => JSON.parse(readFileSync(join(cwd, file), "utf8")))
    .filter((manifest) => manifest.private !== true);
  expect(published.length).toBeGreaterThan(8);
  for (const { scripts } of published)
    expect(scripts).toMatchObject({ prepack: "node ../../tooling/bootstrap/check-built.mjs" });
});
