import type { Admission } from "../admission.ts";
import type { RequestFacts } from "../request-facts.ts";

/** What adapters need of a limit. */
export interface Gate<Raw> {
  admit(request: RequestFacts<Raw>, signal?: AbortSignal): Promise<Admission>;
}
