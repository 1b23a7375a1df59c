import { DtError } from "../errors/dt-error.ts";

/**
 * What a store holds of a limit record is not what this version of the library writes there. Nothing was changed.
 * @param fault what it holds instead
 */
export function damagedLimit(fault: string): DtError {
  return new DtError(
    "DT_STORE_DATA",
    `the record of a limit holds ${fault}: it is damaged, not this library's, or a newer version's. Update this package if a newer one is in use; otherwise set the limit anew: call setLimit, or run dt limit set <store> <kind> <name> <limit>`,
  );
}
