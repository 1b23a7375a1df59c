import type { Admission, RequestFacts } from "../../../src/server/index.ts";

/** A request as a test makes it. */
export function request(address = "10.0.0.1", headers: Readonly<Record<string, string>> = {}): RequestFacts {
  return { method: "GET", url: "/", address, raw: undefined, header: (name) => headers[name] };
}

/** One header of what was decided. */
export function field(admission: Admission, name: string): string | undefined {
  return admission.fields.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
}

/** What was decided, in short: 200, or 429 and 503 with the seconds told. */
export function said(admission: Admission): string {
  if (admission.allowed) return "200";
  return `${admission.status} ${field(admission, "retry-after") ?? "never"}`;
}
