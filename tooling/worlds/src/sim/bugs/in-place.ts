import { PERMIT_BUGS } from "../permits/permit-bugs.ts";
import { changeNamed } from "./catalogue.ts";

/**
 * What takes the place of a module's exports with a bug in: called by the modules that `brokenCopy` writes.
 * @throws Error when the module has no such export: core has moved on, and the bug must follow
 */
export function inPlaceOf(name: string, file: string, real: object): object {
  const { breaks } = PERMIT_BUGS.find((bug) => bug.name === name) ?? changeNamed(name);
  const makers = Object.entries(breaks[file as keyof typeof breaks] ?? {});
  const made = makers.map(([name, make]): [string, unknown] => {
    if (!(name in real)) throw new Error(`${file} has no export ${name}; put the bug where the code is now`);
    return [name, (make as (real: object) => unknown)(real)];
  });
  return Object.fromEntries(made);
}
