import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");

describe("the README", () => {
  it("shows the example that runs from the packed package under every supported Node", () => {
    const [, example] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(example).toBe(read("../../../tooling/checks/scenarios/pod-count/readme.mjs"));
  });

  it("asks for the permissions that a refusal names", () => {
    const source = read("../src/sources/kubernetes/api-error.ts");
    for (const rule of [
      'apiGroups: ["discovery.k8s.io"]',
      'resources: ["endpointslices"]',
      'verbs: ["list", "watch"]',
    ]) {
      expect(readme).toContain(rule);
      expect(source).toContain(rule);
    }
  });
});
