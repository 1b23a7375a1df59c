import { readFileSync } from "node:fs";

/** The user a server runs as. */
export interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whom to run a server as that refuses root (PostgreSQL, PgBouncer): `postgres` when that account exists, else
 * `nobody`. `undefined` when we are not root and the server simply runs as us.
 */
export function serviceUser(): ServiceUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(
    "running as root, and neither a `postgres` nor a `nobody` account in /etc/passwd: run as another user",
  );
}
