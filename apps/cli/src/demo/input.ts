import { access, constants, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../exit-code.ts";
import { linesOf } from "./process/requests.ts";

/** How many malformed lines are named one by one. */
const NAMED = 10;
const OWN_REQUESTS = 1_000;

/** The requests of a run. */
export interface Input {
  readonly file: string;
  readonly requests: number;
  /** Lines that are not requests and are left out. */
  readonly malformed: number;
}

/**
 * Looks through a file of requests; tells `warn` of every malformed line by its number (of the first ten, and how many
 * more).
 * @throws UsageError when it cannot be read or has no request
 */
export async function checkInput(file: string, warn: (message: string) => void): Promise<Input> {
  let requests = 0;
  let malformed = 0;
  try {
    await access(file, constants.R_OK);
    for await (const line of linesOf(file)) {
      if ("request" in line) {
        requests += 1;
        continue;
      }
      malformed += 1;
      if (malformed <= NAMED) warn(`${file}:${line.number}: left out: ${line.fault}`);
    }
  } catch (error) {
    throw new UsageError(`--input ${file} cannot be read: ${(error as Error).message}`);
  }
  if (malformed > NAMED) warn(`${file}: ${malformed - NAMED} more malformed lines left out`);
  if (requests === 0)
    throw new UsageError(
      `--input ${file} has no request; give a JSON object a line, such as {"path":"/charge","body":{"cents":1250}}`,
    );
  return { file, requests, malformed };
}

/** Writes a file of requests: payments, one a line. */
export async function writeInput(folder: string): Promise<Input> {
  const file = join(folder, "requests.jsonl");
  const lines = Array.from({ length: OWN_REQUESTS }, (_, index) => ({
    method: "POST",
    path: "/charge",
    body: { order: index + 1, cents: 100 + ((index * 7_919) % 9_900) },
  }));
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return { file, requests: OWN_REQUESTS, malformed: 0 };
}
