import { callee } from "./callee.ts";
import { capacity } from "./capacity.ts";
import type { CommandDefinition } from "./command.ts";
import { conformance } from "./conformance.ts";
import { demo } from "./demo.ts";
import { demoProcess } from "./demo-process.ts";
import { inspect } from "./inspect.ts";
import { list } from "./list.ts";
import { pipe } from "./pipe.ts";
import { repair } from "./repair.ts";
import { simulate } from "./simulate.ts";

/** Every command, in the order of the help. A new one is a file here and a line below. */
export const commands: readonly CommandDefinition[] = [
  demo,
  conformance,
  list,
  inspect,
  repair,
  simulate,
  capacity,
  callee,
  pipe,
  demoProcess,
];
