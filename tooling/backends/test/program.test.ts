import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProgram, requireProgram } from "../src/program.ts";

describe("a program that a server needs", () => {
  test("is found on the PATH", async () => {
    expect(await findProgram({ command: "sh", aptPackage: "dash", hint: "" })).toMatch(/^\/.*\/sh$/);
  });

  test("is found in the folder of its highest version", async () => {
    const root = await mkdtemp(join(tmpdir(), "dt-program-"));
    try {
      for (const version of ["9", "15", "x"]) await mkdir(join(root, version, "bin"), { recursive: true });
      for (const version of ["9", "15"]) {
        await writeFile(join(root, version, "bin", "dt-no-such-command"), "");
        await chmod(join(root, version, "bin", "dt-no-such-command"), 0o755);
      }
      const program = { command: "dt-no-such-command", aptPackage: "", hint: "", folders: [join(root, "*", "bin")] };
      expect(await findProgram(program)).toBe(join(root, "15", "bin", "dt-no-such-command"));
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test("is named, with what to install, when it cannot be had", async () => {
    // coreutils is on every Debian, so that not even a root's apt has anything to install here.
    const program = { command: "dt-no-such-command", aptPackage: "coreutils", hint: "Install the no-such-thing." };
    await expect(requireProgram(program)).rejects.toThrow(
      "`dt-no-such-command` is not on this machine. Install the no-such-thing.",
    );
  });
});
