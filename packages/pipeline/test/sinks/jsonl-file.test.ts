import { spawn } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VirtualRuntime } from "@dt/core/testing";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { jsonlFile } from "../../src/sinks/jsonl/jsonl-file.ts";
import { failed, succeeded, throttledByUs } from "../support/endings.ts";
import { folder, linesOf } from "../support/folder.ts";

it("an ending is one line: of a success what the call returned, otherwise the input and what went wrong", async () => {
  const path = join(await folder(), "out.jsonl");
  const sink = jsonlFile({ path });
  await sink.write(succeeded("a", { id: 1 }));
  await sink.write(succeeded("b", undefined));
  await sink.write(throttledByUs({ text: "two\nlines" }));
  await sink.write(failed("payload", "Corresponding error"));
  await sink.close?.();
  expect(await linesOf(path)).toEqual([
    '{"id":1}',
    "null",
    '{"input":{"text":"two\\nlines"},"error":"Throttled by Client. Request rejection probability: 0.3111111111111111"}',
    '{"input":"payload","error":"Corresponding error"}',
  ]);
});

it("appends to what is there", async () => {
  const path = join(await folder(), "out.jsonl");
  for (const n of [1, 2]) {
    const sink = jsonlFile({ path, line: ({ input, kind }) => ({ input, kind }) });
    await sink.write(succeeded(n, "ignored"));
    await sink.close?.();
  }
  expect(await linesOf(path)).toEqual(['{"input":1,"kind":"success"}', '{"input":2,"kind":"success"}']);
});

it("ten thousand endings at once are written in their order", async () => {
  const path = join(await folder(), "out.jsonl");
  const sink = jsonlFile({ path });
  await Promise.all(Array.from({ length: 10_000 }, (_, n) => sink.write(succeeded(n, n))));
  await sink.flush?.();
  expect((await linesOf(path)).map(Number)).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  await sink.close?.();
});

it("half a line that a crash left is moved aside, and the next line begins on its own", async () => {
  const path = join(await folder(), "out.jsonl");
  await writeFile(path, '{"input":1,"error":"a"}\n{"input":2,"err');
  const sink = jsonlFile({ path });
  await sink.write(failed(3, "c"));
  await sink.close?.();
  expect(await linesOf(path)).toEqual(['{"input":1,"error":"a"}', '{"input":3,"error":"c"}']);
  expect(await readFile(`${path}.torn`, "utf8")).toBe('{"input":2,"err\n');
});

it.each([
  ["is whole but for its newline", '{"input":1}\n{"input":2}', ['{"input":1}', '{"input":2}']],
  ["is the only one, and torn", '{"inp', []],
  ["is longer than what is read at once, and torn", `1\n"${"x".repeat(200_000)}`, ["1"]],
])("a last line that %s", async (_, before, after) => {
  const path = join(await folder(), "out.jsonl");
  await writeFile(path, before);
  const sink = jsonlFile({ path });
  await sink.open?.();
  await sink.close?.();
  expect(await linesOf(path)).toEqual(after);
});

it("a process killed in the middle of its writing leaves whole lines once the file was opened again", async () => {
  const path = join(await folder(), "out.jsonl");
  const line = `{"input":"${"x".repeat(5_000)}"}`;
  const script = `const fs = require("node:fs"); const fd = fs.openSync(${JSON.stringify(path)}, "a");
    console.log("go"); for (;;) { fs.writeSync(fd, ${JSON.stringify(line.slice(0, 2_500))}); fs.writeSync(fd, ${JSON.stringify(`${line.slice(2_500)}\n`)}); }`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  await appendFile(path, line.slice(0, 100));
  const sink = jsonlFile({ path });
  await sink.write(failed("last", "e"));
  await sink.close?.();
  const lines = await linesOf(path);
  expect(lines.pop()).toBe('{"input":"last","error":"e"}');
  expect(lines.filter((written) => written !== line)).toEqual([]);
});

it("a file that is full gets the next number, and no line is divided", async () => {
  const here = await folder();
  const path = join(here, "later.jsonl");
  await writeFile(join(here, "later.1.jsonl"), "of an earlier run\n");
  const sink = jsonlFile({ path, rotate: { bytes: 25 } });
  await Promise.all(Array.from({ length: 7 }, (_, n) => sink.write(succeeded(n, `number ${n}`))));
  await sink.write(succeeded(7, "a line that is longer than a file may be"));
  await sink.close?.();
  expect((await readdir(here)).sort()).toEqual(
    ["later.jsonl", ...[1, 2, 3, 4, 5].map((n) => `later.${n}.jsonl`)].sort(),
  );
  expect(await linesOf(join(here, "later.1.jsonl"))).toEqual(["of an earlier run"]);
  expect(await linesOf(join(here, "later.2.jsonl"))).toEqual(['"number 0"', '"number 1"']);
  expect(await linesOf(join(here, "later.5.jsonl"))).toEqual(['"number 6"']);
  expect(await linesOf(path)).toEqual(['"a line that is longer than a file may be"']);
});

it("a file that is old gets the next number with the next line, and an empty one does not", async () => {
  const here = await folder();
  const path = join(here, "later.jsonl");
  const runtime = new VirtualRuntime();
  const sink = jsonlFile({ path, rotate: { age: "1h" }, runtime });
  await sink.open?.();
  await runtime.advance(2 * 3_600_000);
  await sink.write(succeeded(1, 1));
  await sink.flush?.();
  expect(await readdir(here)).toEqual(["later.jsonl"]);
  await runtime.advance(3_600_000);
  await sink.write(succeeded(2, 2));
  await sink.close?.();
  expect(await linesOf(join(here, "later.1.jsonl"))).toEqual(["1"]);
  expect(await linesOf(path)).toEqual(["2"]);
});

it("a path that cannot be written is said before anything is", async () => {
  const here = await folder();
  await mkdir(join(here, "there"));
  const opening = (path: string) => jsonlFile({ path: join(here, path) }).open?.();
  await expect(opening("nowhere/out.jsonl")).rejects.toMatchObject({
    code: "DT_STORE_UNAVAILABLE",
    message: expect.stringMatching(/nowhere\/out\.jsonl could not be opened: ENOENT/),
  });
  await expect(opening("there")).rejects.toThrow("EISDIR");
  await expect(jsonlFile({ path: "/dev/null" }).open?.()).rejects.toThrow("it is no regular file");
});

it("a disk that is full ends the sink, and leaves whole lines", async () => {
  const path = join(await folder(), "out.jsonl");
  // The shell's limit on the size of files stands in for the disk: the kernel takes what fits and refuses the rest.
  const script = `
    process.on("SIGXFSZ", () => {});
    import { jsonlFile } from ${JSON.stringify(new URL("../../src/sinks/jsonl/jsonl-file.ts", import.meta.url).href)};
    const sink = jsonlFile({ path: ${JSON.stringify(path)} });
    const outcomes = [];
    for (let n = 0; n < 40; n++)
      await sink.write({ kind: "success", input: n, output: "x".repeat(997), index: n }).then(() => sink.flush()).then(() => outcomes.push("ok"), (error) => outcomes.push(error.code + " " + error.cause.code));
    await sink.close().catch((error) => outcomes.push("close " + error.cause.code));
    console.log(JSON.stringify(outcomes));`;
  const child = spawn(
    "bash",
    [
      "-c",
      'ulimit -f 16; exec "$0" "$@"',
      process.execPath,
      "--no-warnings",
      "--import",
      loader,
      "--input-type=module",
      "-e",
      script,
    ],
    { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname },
  );
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const outcomes = JSON.parse(printed) as string[];
  expect(new Set(outcomes)).toEqual(new Set(["ok", "DT_STORE_UNAVAILABLE EFBIG", "close EFBIG"]));
  expect((await linesOf(path)).length).toBe(outcomes.filter((outcome) => outcome === "ok").length);
  expect((await stat(path)).size % 1_000).toBe(0);
});

it("what has no JSON is refused by name, and slips in options are told apart", async () => {
  const path = join(await folder(), "out.jsonl");
  const sink = jsonlFile({ path });
  await expect(sink.write(succeeded(1, 1n, 41))).rejects.toThrow(
    /record 41 cannot be written as JSON: .*BigInt.*; give the sink a `line` that makes JSON of it/,
  );
  await sink.close?.();
  expect(() => jsonlFile({ path: "" })).toThrow("give the path of a file");
  expect(() => jsonlFile({ path, fsync: "sometimes" as "never" })).toThrow('give "always", "batch" or "never"');
  expect(() => jsonlFile({ path, rotate: {} })).toThrow("give bytes, age or both");
  expect(() => jsonlFile({ path, rotate: { bytes: 0 } })).toThrow("rotate.bytes is 0");
});
