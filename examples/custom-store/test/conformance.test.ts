import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { lmdbTarget } from "./support/targets.ts";

const target = lmdbTarget();
beforeAll(() => target.start());
afterAll(() => target.stop());

conformance({ describe, it }, target);
