import { readFileSync } from "node:fs";

/** The ACL rule that the README gives, for another prefix, user and password: what is documented is what is tested. */
export function readmeUser(prefix: string, name: string, password: string): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const rule = /^user throttle on >secret (.*)$/m.exec(readme)?.[1];
  if (rule === undefined) throw new Error("the README has no ACL rule for a user named throttle");
  return `${name} on >${password} ${rule.replaceAll("dt:", `${prefix}:`)}`;
}
