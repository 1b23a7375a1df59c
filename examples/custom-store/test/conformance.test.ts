import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { lmdbTarget } from "./support/targets.ts";

// Groups of 1,200 are the proof's: it follows the guide, whose store is this one.
const target = lmdbTarget(60);
beforeAll(() => target.start());
afterAll(() => target.stop());

conformance({ describe, it }, target);
