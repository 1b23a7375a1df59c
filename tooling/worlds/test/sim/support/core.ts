import { createThrottle, DtError } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import type { Core } from "../../../src/sim/engine/core.ts";

/** The core under test, from its sources. */
export const core: Core = { createThrottle, DtError, ...ledger };
