import { DtError } from "../errors/dt-error.ts";

/**
 * Something that is stored is not what this version of the library could have written there. A store that can repairs
 * the group and tries again (R18).
 */
export class DamagedData extends DtError {
  /** What is damaged and how, as a sentence without a remedy. */
  readonly finding: string;

  /**
   * @param where what holds it: `etcd key dt/payments/group`
   * @param fault what is wrong with it: `held "many"`
   */
  constructor(where: string, fault: string) {
    const finding = `${where} holds ${fault}`;
    super(
      "DT_STORE_DATA",
      `${finding}; something else wrote it: run "dt repair <store> throttle <name>", with --reset if that is not enough`,
    );
    this.finding = finding;
  }
}

/** The refusal of what a checkout from before format 1 wrote; it stays as it is. */
export function unreleasedData(where: string): DtError {
  return new DtError(
    "DT_STORE_DATA",
    `${where} has a format from before the first release, which no version reads. Nothing was changed. Stop the processes that write it, and run "dt repair <store> throttle <name> --reset"`,
  );
}

/** The refusal of what a newer version wrote; it stays as it is. */
export function newerData(where: string, version: number, known: number): DtError {
  return new DtError(
    "DT_STORE_DATA",
    `${where} has format version ${version}, made by a newer version of this package; this one knows versions up to ${known}. Nothing was changed. Update this process; if no newer one is to come back, run "dt repair <store> throttle <name> --reset"`,
  );
}
