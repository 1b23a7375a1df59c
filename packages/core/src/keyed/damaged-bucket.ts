import { DtError } from "../errors/dt-error.ts";

/**
 * What a store holds of a bucket is not what this version of the library writes there. Nothing was changed.
 * @param where what holds it, for messages: `"redis string dt:{keyed:api:1f}:tenant-17"`
 * @param fault what it holds instead
 */
export function damagedBucket(where: string, fault: string): DtError {
  return new DtError(
    "DT_STORE_DATA",
    `${where} holds ${fault}: it is damaged, not this library's, or a newer version's. Update this package if a newer one is in use; otherwise reset the key: call resetBucket({ name, key }) of the store, or run dt repair <store> keyed <name> <key>`,
  );
}
