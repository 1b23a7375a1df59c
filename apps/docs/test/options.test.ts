import { describe, expect, it } from "vitest";
import { parseOptions } from "../src/options.ts";

describe("the options of the site", () => {
  it("have defaults for a site on this machine", () => {
    expect(parseOptions([])).toEqual({
      serve: false,
      port: 4321,
      url: "http://localhost:4321",
      base: "",
      repository: undefined,
      out: undefined,
    });
  });

  it("come from the environment where they are left out", () => {
    const env = {
      SITE_URL: "https://a.example/",
      SITE_BASE: "/dt/",
      SITE_REPOSITORY: "https://b.example/x/blob/main/",
    };
    const expected = { url: "https://a.example", base: "/dt", repository: "https://b.example/x/blob/main" };
    expect(parseOptions([], env)).toMatchObject(expected);
    expect(parseOptions(["--base", "/other", "--url", "http://c.example:80"], env)).toMatchObject({
      base: "/other",
      url: "http://c.example",
    });
    expect(parseOptions([], { SITE_URL: "", SITE_BASE: "", SITE_REPOSITORY: "" })).toEqual(parseOptions([]));
  });

  it("help", () => {
    expect(parseOptions(["-h"])).toBe("help");
  });

  it.each([
    [["--port", "x"], "--port is x; give a whole number from 0 to 65535"],
    [["--port", "65536"], "--port is 65536; give a whole number from 0 to 65535"],
    [["--url", "example.com"], "--url is example.com; give an address that begins with https:// or http://"],
    [["--url", "javascript:1"], "--url is javascript:1; give an address that begins with https:// or http://"],
    [["--url", "https://a.example/dt"], "--url is https://a.example/dt; give the address of the host alone"],
    [["--base", "dt"], "--base is dt; give a path that begins with a slash"],
    [["--base", '/a"b'], '--base is /a"b; give a path that begins with a slash'],
    [["--repository", "git@x"], "--repository is git@x; give an address"],
    [["--bse", "/x"], "Unknown option '--bse'"],
    [["build"], "Unexpected argument 'build'"],
  ])("%j are refused", (args, problem) => {
    expect(parseOptions(args)).toContain(problem);
  });
});
