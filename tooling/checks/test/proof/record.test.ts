import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkerFiles } from "../../src/proof/checkers.ts";
import { isProofDue, recordProof, subjectNow } from "../../src/proof/record.ts";

const CASE = "packages/conformance/src/cases/a.ts";
const PROOF = "tooling/model/test/traps.proof.ts";
const RECORD = "tooling/checks/proof.json";

let root: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dt-proof-"));
  for (const path of [CASE, PROOF, "packages/core/src/index.ts", "tooling/checks/src/check/main.ts"]) write(path, path);
  write(RECORD, "{}");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root });
  git("init", "--quiet");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "--message", "a");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the proof of the checkers", () => {
  it("is due until it is recorded, and again once a checker changes, is renamed, added or taken away", () => {
    expect(isProofDue(root)).toBe(true);
    const record = () => recordProof(root, subjectNow(root), { passed: 3, skipped: 1 });
    expect(record()).toBe(RECORD);
    expect(isProofDue(root)).toBe(false);
    const changes = [
      () => write(CASE, "another text"),
      () => renameSync(join(root, PROOF), join(root, "tooling/model/test/others.proof.ts")),
      () => write("packages/redis/test/conformance/large.proof.ts", "new"),
      () => rmSync(join(root, CASE)),
    ];
    for (const change of changes) {
      change();
      expect(isProofDue(root)).toBe(true);
      record();
      expect(isProofDue(root)).toBe(false);
    }
  });

  it("is not due for a change of a package or of what runs the gate", () => {
    recordProof(root, subjectNow(root), { passed: 3, skipped: 1 });
    for (const path of ["packages/core/src/index.ts", "tooling/checks/src/check/main.ts"]) write(path, "changed");
    expect(isProofDue(root)).toBe(false);
  });

  it("is recorded with what was proved and when", () => {
    recordProof(root, subjectNow(root), { passed: 3, skipped: 1 });
    expect(JSON.parse(readFileSync(join(root, RECORD), "utf8"))).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      commit: expect.stringMatching(/^[0-9a-f]{12}$/),
      passed: 3,
      skipped: 1,
    });
  });

  it("is due when the record cannot be read", () => {
    write(RECORD, "{ not JSON");
    expect(isProofDue(root)).toBe(true);
  });

  it("is about the suite, the mutants, the simulator, the model, and every test that proves them", () => {
    const files = checkerFiles(repositoryRoot);
    for (const folder of ["packages/conformance/src/", "tooling/model/src/", "tooling/simulator/src/"])
      expect(files.filter((file) => file.startsWith(folder)).length, folder).toBeGreaterThan(10);
    expect(files).toContain("tooling/checks/src/conformance/mutants/index.ts");
    expect(files.filter((file) => file.endsWith(".proof.ts")).length).toBeGreaterThan(5);
    expect(files.filter((file) => /node_modules|\/dist\//.test(file))).toEqual([]);
  });
});
