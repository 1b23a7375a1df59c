import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envSource, type FileSourceOptions, fileSource, fixedSource } from "@dt/pod-count";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Observed } from "./support/observe.ts";

const opened: Observed[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dt-pod-count-"));
});
afterEach(() => {
  for (const observed of opened.splice(0)) observed.close();
  rmSync(folder, { recursive: true });
});

function observe(options: Partial<FileSourceOptions> = {}): Observed {
  const observed = new Observed(fileSource({ path: join(folder, "replicas"), ...options }));
  opened.push(observed);
  return observed;
}

function write(content: string, name = "replicas"): void {
  writeFileSync(join(folder, "new"), content);
  renameSync(join(folder, "new"), join(folder, name));
}

describe("a fixed fleet", () => {
  it("is said once and holds for ever", () => {
    const observed = new Observed(fixedSource(5));
    expect(observed.answers).toEqual([{ members: 5, freshForMs: Number.POSITIVE_INFINITY, lagMs: 0 }]);
    observed.close();
  });

  it.each([0, -1, 1.5, Number.NaN, 100_001, "5", undefined])("of %j is refused", (memberCount) => {
    expect(() => fixedSource(memberCount as number)).toThrow(/memberCount is .*give a whole number from 1 to 100000/);
  });
});

describe("an environment variable", () => {
  it("gives the number of members", () => {
    const observed = new Observed(envSource("REPLICAS", { REPLICAS: " 12 " }));
    expect(observed.last?.members).toBe(12);
    observed.close();
  });

  it.each([undefined, "", "five", "5.5", "-5", "0x5", "0", "1e3", "999999999999999999999"])(
    "that is %j is refused with the remedy",
    (REPLICAS) => {
      expect(() => envSource("REPLICAS", { REPLICAS })).toThrow(
        /environment variable REPLICAS is .*(set it to the number|whole number from 1)/,
      );
    },
  );
});

describe("a file", () => {
  it("gives the number of members, and a change is read at once, long before the next poll", async () => {
    write("5\n");
    const observed = observe({ pollInterval: "60s" });
    await observed.until(({ members }) => members === 5);
    expect(observed.last).toMatchObject({ freshForMs: 65_000, lagMs: 65_000 + 90_000 });
    write("6");
    await observed.until(({ members }) => members === 6);
  });

  it("in a Kubernetes volume is changed by exchanging a link, which is noticed too", async () => {
    for (const [version, size] of [
      ["1", "3"],
      ["2", "4"],
    ] as const) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, "replicas"), size);
    }
    symlinkSync("1", join(folder, "..data"));
    symlinkSync(join("..data", "replicas"), join(folder, "replicas"));
    const observed = observe({ pollInterval: "60s" });
    await observed.until(({ members }) => members === 3);
    symlinkSync("2", join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    await observed.until(({ members }) => members === 4);
  });

  it("is read again and again, which confirms it", async () => {
    write("5");
    const observed = observe({ pollInterval: "20ms", spread: 0 });
    await observed.until(({ answers }) => answers.length >= 4);
    expect(observed.last).toMatchObject({ members: 5, freshForMs: 5_020, lagMs: 5_020 });
  });

  it.each([
    ["nothing", "", /begins with ""; it must hold one whole number/],
    ["words", "five pods", /begins with "five pods"/],
    ["two numbers", "5 6", /begins with "5 6"/],
    ["far too much", "9".repeat(1_000), /begins with "99999999999999999999"/],
  ])("that holds %s is refused, and the last answer stays", async (_, content, message) => {
    write("5");
    const observed = observe({ pollInterval: "20ms" });
    await observed.until(({ members }) => members === 5);
    write(content);
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_REPLY", message: expect.stringMatching(message) });
    expect(observed.members).toBe(5);
    write("7");
    await observed.until(({ members }) => members === 7);
  });

  it("that is missing is said with the remedy, and read once it is there", async () => {
    const observed = observe({ pollInterval: "60s" });
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: expect.stringMatching(/cannot be read \(ENOENT\); mount it, or correct the path/),
    });
    write("2");
    await observed.until(({ members }) => members === 2);
  });

  it("in a folder that does not exist yet is found by polling", async () => {
    const observed = observe({ path: join(folder, "later", "replicas"), pollInterval: "20ms" });
    await observed.until(({ errors }) => errors.length > 0);
    mkdirSync(join(folder, "later"));
    write("2", join("later", "replicas"));
    await observed.until(({ members }) => members === 2);
  });

  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
  ])("that is %s is refused at once", async (_, make) => {
    make(join(folder, "replicas"));
    const observed = observe({ timeout: "60s" });
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_REPLY",
      message: expect.stringContaining("is no regular file"),
    });
  });

  it("does not hear of what is written beside it: a file that is missing is looked for with backoff", async () => {
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    const endMs = performance.now() + 3_000;
    for (let i = 0; performance.now() < endMs; i++) {
      write(String(i), "another");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // By backoff alone: at 0, and at about 0.15, 0.45, 1.05 and 2.25 s.
    expect(observed.errors.length).toBeLessThanOrEqual(8);
  });

  it("is read a few times a second at most, however often it is written", async () => {
    write("5");
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    const endMs = performance.now() + 2_000;
    for (let i = 1; performance.now() < endMs; i++) {
      write(String(i));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(observed.answers.length).toBeLessThanOrEqual(12);
    const { length } = observed.answers;
    write("7");
    await observed.until(({ members, answers }) => members === 7 && answers.length > length);
  });

  it("is no longer read after closing", async () => {
    write("5");
    const observed = observe({ pollInterval: "20ms" });
    await observed.until(({ members }) => members === 5);
    observed.close();
    const { length } = observed.answers;
    unlinkSync(join(folder, "replicas"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(observed.answers).toHaveLength(length);
    expect(observed.errors).toEqual([]);
  });

  it.each([
    [undefined, /fileSource options is undefined/],
    [{ path: "" }, /path is ""/],
    [{ path: "x", pollInterval: 1 }, /pollInterval is 1; give at least 10 ms/],
    [{ path: "x", spread: -1 }, /spread is -1/],
    [{ path: "x", timeout: 0 }, /timeout is 0/],
    [{ path: "x", pollinterval: "1s" }, /pollinterval: there is no such option; did you mean pollInterval\?/],
  ])("options %j are refused with the remedy", (options, message) => {
    expect(() => fileSource(options as FileSourceOptions)).toThrow(message);
  });
});
