import { invalidOption } from "../internal/check.ts";
import { hostName } from "../internal/host-name.ts";
import { type Runtime, randomId } from "../runtime/runtime.ts";

/** The most characters of a label. */
const LONGEST_LABEL = 64;

/** What a member is called where people look at the fleet, and what follows of it. */
interface Named {
  readonly memberId: string | undefined;
  readonly label: string | undefined;
  readonly runtime: Runtime;
}

/**
 * The member's id: as it was given, or its label and a random part, so that people know which process it is.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function memberIdOf({ memberId, label, runtime }: Named): string {
  if (label !== undefined && label.length > LONGEST_LABEL)
    throw invalidOption("label", label, `give at most ${LONGEST_LABEL} characters`);
  return memberId ?? `${label ?? hostName()}-${randomId(runtime)}`;
}
