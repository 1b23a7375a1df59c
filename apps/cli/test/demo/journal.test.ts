import { expect, test } from "vitest";
import { JournalReader } from "../../src/demo/journal.ts";

test("entries are put together from whatever pieces they arrive in", () => {
  const reader = new JournalReader();
  const text = '{"type":"joining","atMs":1}\n{"type":"left","atMs":2}\n';
  const entries = [...text].flatMap((letter) => reader.read(letter));
  expect(entries).toEqual([
    { type: "joining", atMs: 1 },
    { type: "left", atMs: 2 },
  ]);
  expect(new JournalReader().read(text)).toEqual(entries);
});

test("an entry that was cut off by a kill is not an entry", () => {
  const reader = new JournalReader();
  expect(reader.read('{"type":"joining","atMs":1}\n{"type":"gra')).toHaveLength(1);
});
