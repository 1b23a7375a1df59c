import { DtError } from "@dt/core";
import { newerData, unreleasedData } from "@dt/core/ledger";

/**
 * Throws what a script of a group said instead of an answer: that what is stored is damaged beyond healing, of a newer
 * version, or from before the first release.
 * @throws DtError `DT_STORE_DATA`
 */
export function refuseData(reply: unknown): void {
  if (!Array.isArray(reply)) return;
  const [status, what, version, known] = reply as readonly unknown[];
  if (status === "damaged")
    throw new DtError(
      "DT_STORE_DATA",
      `${what}; something else wrote it: run "dt repair <store> <group>", with --reset if that is not enough`,
    );
  if (status === "newer") throw newerData(String(what), Number(version), Number(known));
  if (status === "unreleased") throw unreleasedData(String(what));
}
