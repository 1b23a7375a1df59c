import { describe, expect, it } from "vitest";
import { entriesOf, sourcesOf } from "../src/entries.ts";

const library = {
  name: "@dt/x",
  exports: {
    ".": {
      import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
      require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
    },
    "./testing": { types: "./dist/testing/index.d.ts", default: "./dist/testing/index.js" },
    "./package.json": "./package.json",
  },
};

describe("the build's entries", () => {
  it("follow from the exports, in both module formats when one export can be required", () => {
    expect(entriesOf(library)).toEqual({
      entry: { index: "src/index.ts", "testing/index": "src/testing/index.ts" },
      formats: ["esm", "cjs"],
    });
  });

  it("follow from bin, as ECMAScript modules only", () => {
    expect(entriesOf({ name: "@dt/cli", bin: { dt: "dist/main.js" } })).toEqual({
      entry: { main: "src/main.ts" },
      formats: ["esm"],
    });
  });

  it("are refused when the manifest names nothing that could be built", () => {
    expect(() => entriesOf({ name: "@dt/x", exports: { ".": "./src/index.ts" } })).toThrow(/@dt\/x: no export or bin/);
  });
});

describe("the sources behind import names", () => {
  it("are found for every built export and no other file", () => {
    expect([...sourcesOf(library)]).toEqual([
      ["@dt/x", "src/index.ts"],
      ["@dt/x/testing", "src/testing/index.ts"],
    ]);
  });

  it("are the exports themselves in a package that is never built", () => {
    expect([...sourcesOf({ name: "@dt/x", exports: { ".": "./src/index.ts" } })]).toEqual([["@dt/x", "src/index.ts"]]);
  });
});
