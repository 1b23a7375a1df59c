import { describe, expect, test } from "vitest";
import { withoutUrlSecrets, withoutValues } from "../src/without-secrets.ts";
import { run } from "./support/run.ts";

const SECRET = "hunter2";
const files = ["--success", "/tmp/a", "--throttled", "/tmp/b", "--errors", "/tmp/c"];
const input = ["--input", import.meta.filename];
const url = ["--url", "http://localhost:1"];
const pipe = ["pipe", ...input, ...files];

describe("no usage error repeats a secret:", () => {
  test.each<[string, string[]]>([
    ["a header without a colon", [...pipe, ...url, "--header", `Authorization Bearer ${SECRET}`]],
    ["a header with a line break", [...pipe, ...url, "--header", `Authorization: Bearer\n${SECRET}`]],
    ["a header with a character that none can have", [...pipe, ...url, "--header", `X: €${SECRET}`]],
    ["a header whose name is none", [...pipe, ...url, "--header", `A b: ${SECRET}`]],
    ["a header whose field has no name", [...pipe, ...url, "--header", `Authorization: ${SECRET} {{}}`]],
    ["an equals sign after a mistyped option", [...pipe, ...url, `--heder=Authorization: Bearer ${SECRET}`]],
    ["a colon after an option", [...pipe, ...url, `--header:Authorization: Bearer ${SECRET}`]],
    ["a short option with its value", [...pipe, ...url, `-HAuthorization: Bearer ${SECRET}`]],
    ["a line break in a mistyped option", [...pipe, ...url, `--heder=a\n${SECRET}'`]],
    ["a mistyped option and its value", [...pipe, ...url, "--heder", `Authorization: Bearer ${SECRET}`]],
    ["an argument too many", [...pipe, ...url, `Authorization: Bearer ${SECRET}`]],
    ["a value without its option", [...pipe, ...url, "--header", "--method", `X: ${SECRET}`, "PUT"]],
    ["a value of the wrong option: a rate", [...pipe, ...url, "--rate", SECRET]],
    ["a time", [...pipe, ...url, "--timeout", `Bearer "${SECRET}"; x`]],
    ["a number", [...pipe, ...url, "--concurrency", `it's ${SECRET}`]],
    ["a choice", [...pipe, ...url, "--on-throttled", SECRET]],
    ["a part", [...pipe, ...url, "--part", SECRET]],
    ["a method", [...pipe, ...url, "--method", SECRET]],
    ["a key", [...pipe, ...url, "--key", `${SECRET}..a`]],
    ["a body", [...pipe, ...url, "--body", `{"password":"${SECRET}","a":{{}}}`]],
    ["a store", [...pipe, ...url, "--rate", "5/s", "--store", `mysql://u:${SECRET}@h`]],
    ["a table as if it were a URL", ["status", `dynamodb://key:${SECRET}@us-east-1/limits`]],
    ["a table with keys", ["status", `dynamodb:key:${SECRET}@limits`]],
    ["a table's parameter", ["status", `dynamodb:limits?${SECRET}`]],
    ["the user of a URL", [...pipe, "--url", `ftp://user:${SECRET}@localhost/`]],
    ["the query of a URL", [...pipe, "--url", `localhost:1/?key=${SECRET}`]],
    ["a URL whose field has no name", [...pipe, "--url", `http://u:${SECRET}@localhost:1/{{}}?key=${SECRET}`]],
    ["a URL in place of a file", ["pipe", "--input", `http://u:${SECRET}@h/?k=${SECRET}`, ...files, ...url]],
    ["a URL in place of a command", [`http://u:${SECRET}@h/`]],
    ["a secret in place of a command", [`Bearer ${SECRET}`]],
    ["no file", ["pipe", ...files, ...url, "--header", `Authorization: Bearer ${SECRET}`, "--body", SECRET]],
    ["capacity, a header", ["capacity", ...url, "--header", `Authorization ${SECRET}`]],
    ["capacity, a URL", ["capacity", "--url", `ftp://u:${SECRET}@h/?k=${SECRET}`]],
    ["capacity, a time", ["capacity", ...url, "--p50", SECRET]],
    ["callee, a rate", ["callee", "--rate", SECRET]],
  ])("%s", async (_name, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, told: stdout + stderr }).toEqual({ code: 2, told: expect.not.stringContaining(SECRET) });
    expect(stderr).toMatch(/^error: .{10}/);
  });

  test("nor does one of a service that cannot be reached", async () => {
    const asked = ["--url", `http://user:${SECRET}@127.0.0.1:9/?key=${SECRET}`, "--header", `X: ${SECRET}`];
    const { code, stdout, stderr } = await run(...pipe, ...asked);
    expect({ code, told: stdout + stderr }).toEqual({ code: 2, told: expect.not.stringContaining(SECRET) });
    expect(stderr).toContain("127.0.0.1:9 cannot be reached");
  });
});

test("what is no secret stays", () => {
  expect(withoutValues("error: unknown option '--heder=x'\n(Did you mean --header?)\n")).toBe(
    "error: unknown option '--heder'\n(Did you mean --header?)\n",
  );
  expect(withoutValues("error: unknown command 'dmeo'\n(Did you mean demo?)\n")).toContain("'dmeo'");
  expect(withoutValues("error: required option '--url <url>' not specified\n")).toContain("--url <url>");
  expect(withoutUrlSecrets("see https://u:p@host.test/a/b?c=d#e, 'redis://x:y@h:1/0' and /a?b")).toBe(
    "see https://host.test/a/b 'redis://h:1/0' and /a?b",
  );
});
