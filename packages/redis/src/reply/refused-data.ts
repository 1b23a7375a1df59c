import { DtError } from "@dt/core";

/**
 * Throws what a script of a group said instead of an answer: that what is stored is damaged beyond healing, or of a
 * newer version.
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
  if (status === "newer")
    throw new DtError(
      "DT_STORE_DATA",
      `${what} is of format version ${version}, made by a newer version of this package; this one knows versions up to ${known}. ` +
        'Nothing was changed. Update this process; if no newer one is to come back, run "dt repair <store> <group> --reset"',
    );
}
