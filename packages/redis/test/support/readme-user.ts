import { readFileSync } from "node:fs";

/** The ACL rule that the README gives, for another prefix, user and password: what is documented is what is tested. */
export function readmeUser(prefix: string, name: string, password: string): string {
  const rule = find(/^user throttle on >secret (.*)$/m, "ACL rule for a user named throttle");
  return `${name} on >${password} ${rule.replaceAll("dt:", `${prefix}:`)}`;
}

/** What the README adds to the rule for a Cluster. */
export function readmeClusterRights(): string {
  return find(/^For a Cluster add `([^`]+)`/m, "addition to the ACL rule for a Cluster");
}

function find(pattern: RegExp, what: string): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const found = pattern.exec(readme)?.[1];
  if (found === undefined) throw new Error(`the README has no ${what}`);
  return found;
}
