import { describe, expect, test } from "vitest";
import { dt } from "./support/cli.ts";
import { memoryTarget, targetFile } from "./support/target-file.ts";

const CAPABILITIES = '{ name: "m", clock: "host", ledger: true, losesData: false, push: true }';
const whole = (properties: string): string =>
  `export default { name: "m", capabilities: ${CAPABILITIES}, ${properties} };`;

describe("a target file", { timeout: 120_000 }, () => {
  test.each([
    [
      "an ES module with a named export",
      "target.mjs",
      memoryTarget().replace("export default", "export const target ="),
    ],
    [
      "an ES module with a function",
      "target.mjs",
      memoryTarget().replace("export default", "export default async () => (").replace("};\n", "});\n"),
    ],
    ["a CommonJS module", "target.cjs", commonJs("module.exports =")],
    ["a CommonJS module with a named export", "target.cjs", commonJs("module.exports.target =")],
    [
      "a module that was compiled to CommonJS",
      "target.cjs",
      commonJs("module.exports.__esModule = true; module.exports.default ="),
    ],
    [
      "a TypeScript module",
      "target.ts",
      memoryTarget()
        .replace("export default", "const name: string = 'typed'; export default")
        .replace('"memory"', "name"),
    ],
  ])("may be %s", async (_, name, text) => {
    const { code, stderr } = await dt("conformance", targetFile(text, name), "R14");
    expect(stderr).not.toContain("error:");
    expect(code).toBe(0);
  });

  test.each([
    [
      "export const other = 1;",
      'neither the default export nor an export named "target" is a target or a function that returns one (exports: other)',
    ],
    ["export default () => 5;", "the target is 5; export an object { name, capabilities, createStore }"],
    [
      "export default () => { throw new Error('no server here'); };",
      "the function that it exports failed: Error: no server here",
    ],
    ["export default {", "cannot be imported: SyntaxError"],
    ["import 'no-such-package-anywhere';", "cannot be imported: Error"],
    [
      "export default { createStore() {} };",
      'name is missing; give the text that reports are to show, such as "my-database"',
    ],
    ["export default { name: 'm' };", "capabilities is missing; give { name, clock, ledger, losesData, push }"],
    [
      `export default { name: "m", capabilities: ${CAPABILITIES.replace("host", "wall")} };`,
      'capabilities.clock is "wall"; give "server", "host" or "hybrid"',
    ],
    [
      `export default { name: "m", capabilities: ${CAPABILITIES.replace("ledger: true,", "")} };`,
      "capabilities.ledger is missing; give true or false",
    ],
    [whole(""), "createStore is missing; give a function"],
    [whole("createStore() {}, timeScale: 0"), "timeScale is 0; give a positive number"],
    [whole("createStore() {}, maxMembers: '9'"), 'maxMembers is "9"; give a whole number of at least 2'],
    [whole("createStore() {}, sharesData: 'no'"), 'sharesData is "no"; give false when'],
    [whole("createStore() {}, permits: 1"), "permits is 1; give true or false, or leave it out"],
    [whole("createStore() {}, roundTrips: 3"), "roundTrips is 3; give a function, or leave it out"],
    [whole("createStore() {}, faults: { pause() {} }"), "faults.pause has no faults.resume to undo it; give both"],
    [whole("createStore() {}, runtime: {}"), "runtime is no Runtime: it has no function now"],
    [whole("createStore() {}"), "createStore() gave missing"],
    [
      whole("createStore() { return { register() {}, sync() {}, inspect() {}, close() {} }; }"),
      "the store of createStore() has no function deregister, watch",
    ],
    [whole("async createStore() { throw new Error('refused'); }"), "createStore() failed: Error: refused"],
  ])("%s is refused with exit code 2 and a message", async (text, message) => {
    const file = targetFile(text);
    const { code, stdout, stderr } = await dt("conformance", file);
    expect(stderr).toContain(`error: ${file}: ${message}`);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("that is not there is refused", async () => {
    const { code, stderr } = await dt("conformance", "/no/such/target.mjs");
    expect(stderr).toContain("error: /no/such/target.mjs: there is no such file; give a module that exports a target");
    expect(code).toBe(2);
  });

  test.each([
    [["R99"], "no case matches /^R99\\b/i"],
    [["/(/"], "It is no regular expression"],
    [["--seed", "x"], "Give a whole number from 0 to 4294967295."],
    [["--concurrency", "0"], "Give a whole number from 1 to 256."],
    [["R1", "R2"], "too many arguments"],
  ])("with %j is refused with exit code 2", async (args, message) => {
    const { code, stderr } = await dt("conformance", targetFile(memoryTarget()), ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

/** The package is imported later: the sources that tests run from cannot be required. */
function commonJs(start: string): string {
  return memoryTarget()
    .replace(/^import .*$/m, "")
    .replace("() => new MemoryStore()", 'async () => new (await import("@dt/core")).MemoryStore()')
    .replace("export default", start);
}
