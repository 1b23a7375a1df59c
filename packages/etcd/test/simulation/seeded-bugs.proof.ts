import { changeNamed } from "@dt-tooling/simulator/fleet";
import { runMany } from "@dt-tooling/simulator/hybrid";
import { expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

it.each(["raise-in-same-epoch", "sequence-stands-still", "told-more-than-recorded", "held-understated"])(
  "processes without a common clock show the seeded bug %s",
  async (name) => {
    const { violations } = await runMany((...args) => new ModelEtcd(...args), 10, {}, changeNamed(name));
    expect(violations).not.toEqual([]);
  },
);
