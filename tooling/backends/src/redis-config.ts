import type { RedisOptions } from "./redis.ts";

/** A word of redis.conf, quoted. */
const quote = (value: string): string => `"${value.replace(/[\\"]/g, "\\$&")}"`;

/**
 * The text of a redis.conf.
 *
 * With `appendonly` and `appendfsync no` a write is in the kernel's hands before its reply leaves, so a killed
 * *process* loses nothing acknowledged; `everysec` may postpone the write while an fsync runs.
 */
export function redisConfig(
  options: RedisOptions,
  place: {
    readonly port: number;
    readonly folder: string;
    readonly tls?: { certFile: string; keyFile: string } | undefined;
  },
): string {
  const { port, folder, tls } = place;
  const lines = [
    "bind 127.0.0.1",
    ...(tls === undefined
      ? [`port ${port}`]
      : [
          "port 0",
          `tls-port ${port}`,
          `tls-cert-file ${quote(tls.certFile)}`,
          `tls-key-file ${quote(tls.keyFile)}`,
          `tls-ca-cert-file ${quote(tls.certFile)}`,
          "tls-auth-clients no",
        ]),
    `dir ${quote(folder)}`,
    `appendonly ${options.appendOnly === false ? "no" : "yes"}`,
    "appendfsync no",
    "save 86400 1", // So that SIGTERM saves an RDB file where there is no AOF.
    "repl-diskless-sync-delay 0",
    ...(options.password === undefined ? [] : [`requirepass ${quote(options.password)}`]),
    ...(options.users ?? []).map((user) => `user ${user}`),
    ...(options.replicaOf === undefined ? [] : [`replicaof ${options.replicaOf.host} ${options.replicaOf.port}`]),
    ...(options.disabledCommands ?? []).map((command) => `rename-command ${command} ""`),
    ...Object.entries(options.config ?? {}).map(([name, value]) => `${name} ${quote(value)}`),
  ];
  return `${lines.join("\n")}\n`;
}
