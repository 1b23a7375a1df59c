import { describe, expect, test } from "vitest";
import { dt, Running } from "./support/cli.ts";
import { run } from "./support/run.ts";
import { memoryTarget, targetFile } from "./support/target-file.ts";

const CAPABILITIES = '{ name: "m", clock: "host", ledger: true, losesData: false, hints: true, demand: true }';
const whole = (properties: string): string =>
  `export default { name: "m", capabilities: ${CAPABILITIES}, ${properties} };`;

/** What is said of each, by one process: `accepted`, or what is to be changed in the file. */
async function loaded(files: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await new Running("test/support/load-targets.ts", files).finished;
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const FORMS: readonly (readonly [what: string, name: string, text: string])[] = [
  ["an ES module with a named export", "target.mjs", memoryTarget().replace("export default", "export const target =")],
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
];

const REFUSED: readonly (readonly [text: string, message: string])[] = [
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
  ["export default { name: 'm' };", "capabilities is missing; give { name, clock, ledger, losesData, hints }"],
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
  [whole("createStore() {}, fualts: {}"), "fualts: there is no such option; did you mean faults?"],
  [whole("createStore() {}, damage: 5"), "damage is 5; give an object; its keys are spoilMember"],
  [whole("createStore() {}, runtime: {}"), "runtime is no Runtime: it has no function now"],
  [whole("createStore() {}"), "createStore() gave missing"],
  [
    whole("createStore() { return { register() {}, sync() {}, inspect() {}, close() {} }; }"),
    "the store of createStore() has no function deregister, onHint",
  ],
  [whole("async createStore() { throw new Error('refused'); }"), "createStore() failed: Error: refused"],
];

describe("a target file", () => {
  test("may be an ES module, a CommonJS module or a TypeScript module, with a default export, a named one or a function", async () => {
    const said = await loaded(FORMS.map(([, name, text]) => targetFile(text, name)));
    expect(FORMS.map(([what], i) => `${what}: ${said[i]}`)).toEqual(FORMS.map(([what]) => `${what}: accepted`));
  });

  test("that is a CommonJS module is what the suite runs on", async () => {
    const { code, stderr } = await dt("conformance", targetFile(commonJs("module.exports ="), "target.cjs"), "R14");
    expect(stderr).not.toContain("error:");
    expect(code).toBe(0);
  });

  test("that is none is refused with a message that says what to change in it", async () => {
    const files = REFUSED.map(([text]) => targetFile(text));
    const said = await loaded(files);
    for (const [i, [text, message]] of REFUSED.entries()) expect(said[i], text).toContain(`${files[i]}: ${message}`);
  });

  test("that is none ends the command with exit code 2, and nothing on standard output", async () => {
    const [text, message] = REFUSED[0] as (typeof REFUSED)[0];
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

  test("with a filter that chooses no case is refused with exit code 2", async () => {
    const { code, stderr } = await dt("conformance", targetFile(memoryTarget()), "R99");
    expect(stderr).toContain("no case matches R99; give a rule such as R7");
    expect(code).toBe(2);
  });

  test.each([
    [["/(/"], "It is no regular expression"],
    [["--seed", "x"], "Give a whole number from 0 to 4294967295."],
    [["--concurrency", "0"], "Give a whole number from 1 to 256."],
    [["R1", "R2"], "too many arguments"],
  ])("with %j is refused with exit code 2", async (args, message) => {
    const { code, stderr } = await run("conformance", targetFile(memoryTarget()), ...args);
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
