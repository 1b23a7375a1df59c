import { describe, expect, it } from "vitest";
import { luaWithoutComments } from "../src/lua-without-comments.ts";
import { scriptWithoutComments } from "../src/script-without-comments.ts";

describe("Lua without its comments", () => {
  it.each([
    ["a line of its own goes with the line", "-- what\n  -- more\nreturn 1\n", "return 1\n"],
    ["the end of a line goes, with the space before it", "local a = 1 -- what\nreturn a\n", "local a = 1\nreturn a\n"],
    ["the last line may have no end", "return 1\n-- what", "return 1\n"],
    ["a long one goes, of any level", "local a = 1 --[==[ ]] \n]=] ]==]\nreturn a\n", "local a = 1\nreturn a\n"],
    ["a long one may stand before code", "--[[ a\nb ]] return 1", " return 1"],
    ["a string stays", `return "-- a" .. '--b' .. "\\"--c" .. '\\'-- d'`, undefined],
    ["a string that goes on in the next line stays", 'return "a\\\n-- b"', undefined],
    ["a long string stays, of any level", "return [[\n-- a\n]] .. [=[\n-- ]]\n]=]\n", undefined],
    ["an index is no string", "return a[b[1]] -- what\n", "return a[b[1]]\n"],
    ["a subtraction is no comment", "return 1 - -1\n", undefined],
  ])("%s", (_, text, without) => {
    expect(luaWithoutComments(text)).toBe(without ?? text);
  });
});

describe("a script without its comments", () => {
  it("keeps every other character in its place", () => {
    const text = `/** What.\n * More. */\nexport const a = \`// \${1 /* one */}\`; // end\nconst b = /\\/\\*/;\n`;
    expect(scriptWithoutComments("a.ts", text)).toBe(
      `${" ".repeat(9)}\n${" ".repeat(11)}\nexport const a = \`// \${1 ${" ".repeat(9)}}\`; ${" ".repeat(6)}\nconst b = /\\/\\*/;\n`,
    );
  });

  it("keeps what bundlers and licences go by", () => {
    const text = "/*! MIT */ /* @__PURE__ */ a(); import(/* webpackIgnore: true */ /* @vite-ignore */ b);";
    expect(scriptWithoutComments("a.ts", text)).toBe(text);
  });

  it("refuses what does not parse", () => {
    expect(() => scriptWithoutComments("a.ts", "const = 1;")).toThrow(/^a\.ts: /);
  });
});
