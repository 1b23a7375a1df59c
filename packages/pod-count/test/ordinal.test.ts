import { describe, expect, it } from "vitest";
import { ordinalOf, ownOrdinal } from "../src/options.ts";

describe("the ordinal of a StatefulSet's pod", () => {
  it.each([
    ["web-0", 0],
    ["web-12", 12],
    ["my-web-3.web.default.svc.cluster.local", 3],
    ["web", undefined],
    ["web-7d4b9c6f5-x2x5z", undefined],
    ["web-01", undefined],
    ["web-1234567", undefined],
    ["", undefined],
  ])("of %j is %j", (name, ordinal) => {
    expect(ordinalOf(name)).toBe(ordinal);
  });

  it("comes from POD_NAME, or from the host name within Kubernetes alone", () => {
    expect(ownOrdinal({ POD_NAME: "web-4" }, "ip-10-0-0-5")).toBe(4);
    expect(ownOrdinal({ POD_NAME: "web", KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "web-7")).toBeUndefined();
    expect(ownOrdinal({ KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "web-7")).toBe(7);
    expect(ownOrdinal({}, "ip-10-0-0-5")).toBeUndefined();
  });
});
