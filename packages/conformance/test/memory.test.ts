import { conformance } from "@dt/conformance";
import { describe, it } from "vitest";
import { memoryTarget } from "./support/targets.ts";

conformance({ describe, it }, memoryTarget);
