import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { createSemaphore, createThrottle, MemoryStore } from "../../src/index.ts";

const store = new MemoryStore();
const makers = [
  ["throttle", (more: object) => createThrottle({ name: "g", max: 1, store, ...more })],
  ["semaphore", (more: object) => createSemaphore({ name: "g", max: 1, store, ...more })],
] as const;

describe.each(makers)("the id of a member: %s", (_, make) => {
  it("begins with its label, or with the host's name, and is another one each time", () => {
    expect(make({ label: "worker-7" }).memberId).toMatch(/^worker-7-\w{8,}$/);
    expect(make({}).memberId.startsWith(`${hostname().slice(0, 64)}-`)).toBe(true);
    expect(make({ label: "a" }).memberId).not.toBe(make({ label: "a" }).memberId);
  });

  it("is the memberId where that is given", () => {
    expect(make({ label: "worker-7", memberId: "me" }).memberId).toBe("me");
  });

  it("has a label of at most 64 characters", () => {
    expect(make({ label: "x".repeat(64) }).memberId).toContain("x".repeat(64));
    for (const label of ["x".repeat(65), "", 7])
      expect(() => make({ label })).toThrow(expect.objectContaining({ code: "DT_INVALID_OPTION" }));
    expect(() => make({ label: "x".repeat(65), memberId: "me" })).toThrow("give at most 64 characters");
  });
});
