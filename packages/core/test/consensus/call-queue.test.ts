import { describe, expect, it } from "vitest";
import { queueBefore } from "../../src/consensus/call-queue.ts";
import { MemoryStore } from "../../src/index.ts";

describe("the line before a store", () => {
  it("is one for a store object, and another for another store of the same name", () => {
    const [one, other] = [new MemoryStore(), new MemoryStore()];
    expect(one.capabilities.name).toBe(other.capabilities.name);
    expect(queueBefore(one)).toBe(queueBefore(one));
    expect(queueBefore(other)).not.toBe(queueBefore(one));
  });

  it("gives 256 turns at once, and the next in the order they were asked for", async () => {
    const line = queueBefore(new MemoryStore());
    for (let turn = 0; turn < 256; turn++) expect(line.enter()).toBeUndefined();
    const came: string[] = [];
    const waits = ["first", "second"].map((name) => line.enter()?.then(() => came.push(name)));
    line.leave();
    line.leave();
    await Promise.all(waits);
    expect(came).toEqual(["first", "second"]);
    for (let turn = 0; turn < 256; turn++) line.leave();
    expect(line.enter()).toBeUndefined();
  });
});
