import { describe, expect, it } from "vitest";
import { readCursor, writeCursor } from "../../src/ledger/cursor.ts";

describe("a cursor", () => {
  it.each(["a", "a.b", "日本 😀", "%2F", "\n", "x".repeat(1_024), "'\"\\"])("leads back to the place %j", (place) => {
    const cursor = writeCursor("test groups", place);
    expect(readCursor("test groups", cursor)).toBe(place);
    expect(cursor).toMatch(/^[!-~]+$/);
  });

  it("is not needed for the first page", () => expect(readCursor("test groups", undefined)).toBe(""));

  it("of another list is refused", () => {
    const cursor = writeCursor("test keys", "a");
    expect(() => readCursor("test groups", cursor)).toThrow(/^cursor is ".+"; give next of the page before/);
  });

  it("with any one character changed, left out or added is refused", () => {
    const cursor = writeCursor("test groups", "payments/é");
    for (let i = 0; i < cursor.length; i++)
      for (const slip of [
        cursor.slice(0, i),
        `${cursor.slice(0, i)}x${cursor.slice(i)}`,
        cursor.replace(cursor[i] as string, "~"),
      ])
        expect(() => readCursor("test groups", slip), slip).toThrow("cursor is");
  });

  it.each(["", ".", "x", "1.%", 7, null, {}])("that is %j is refused", (cursor) => {
    expect(() => readCursor("test groups", cursor as string)).toThrow("cursor is");
  });
});
