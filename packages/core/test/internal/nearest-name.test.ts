import { describe, expect, it } from "vitest";
import { checkKeys } from "../../src/internal/check.ts";
import { meantName, nearestName } from "../../src/internal/nearest-name.ts";

describe("an option by the name that it has in another library", () => {
  it.each([
    ["limit", "max"],
    ["points", "max"],
    ["window", "interval"],
    ["windowMs", "interval"],
    ["duration", "interval"],
    ["key", "group"],
    ["name", "group"],
    ["retries", undefined],
  ])("%j is taken for %j", (name, meant) => {
    expect(meantName(name, new Set(["group", "max", "interval", "store", "burst"]))).toBe(meant);
  });
});

describe("a misspelt option", () => {
  it.each([
    ["rampup", "rampUp"],
    ["staleafter", "staleAfter"],
    ["prefx", "prefix"],
    ["conectionString", "connectionString"],
    ["tls", undefined],
    ["ssl", undefined],
    ["", undefined],
  ])("%j is taken for a slip of %j", (slip, meant) => {
    expect(nearestName(slip, ["rampUp", "staleAfter", "prefix", "connectionString", "timeout"])).toBe(meant);
  });

  it("is refused with the nearest right name, and without its value, which may be a password", () => {
    const options = { url: "redis://localhost", passwort: "s3cret" };
    const check = (): void => checkKeys("options", options, new Set(["url", "password"]));
    expect(check).toThrow("passwort: there is no such option; did you mean password? known are url, password");
    expect(check).not.toThrow("s3cret");
  });
});
