import { conformance } from "@dt/conformance";
import { afterAll, beforeAll, describe, it } from "vitest";
import { sqliteTarget } from "./support/targets.ts";

const target = sqliteTarget();
beforeAll(() => target.start());
afterAll(() => target.stop());

conformance({ describe, it }, target);
