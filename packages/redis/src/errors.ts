import { DtError, type DtErrorCode, type Effect } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { discreet as discreetOf, type Wording } from "@dt/core/ledger";
import type { Call } from "@dt/core/store";

const WORDING: Wording = {
  // A server that does not know a command repeats its arguments:
  // `ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' ...`.
  shown: (message) => message.replace(/,? with args beginning with:.*$/s, ""),
  // Why a Cluster has no connection.
  underneath: ({ cause, lastNodeError }: { readonly cause?: unknown; readonly lastNodeError?: unknown }) =>
    cause ?? lastNodeError,
};

/**
 * ioredis puts the command that failed on its errors, with all of its arguments: the password of an AUTH, or a whole
 * script.
 */
export function discreet(error: unknown): Error {
  return discreetOf(error, WORDING);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Rule {
  /** Matched against the error's message, which starts with the server's error code. */
  readonly pattern: RegExp;
  readonly code: DtErrorCode;
  /** `definite`: the server refuses such a command before any write. */
  readonly effect: Effect;
  readonly remedy: string;
}

const unavailable = (pattern: RegExp, effect: Effect, remedy: string): Rule => ({
  pattern,
  code: "DT_STORE_UNAVAILABLE",
  effect,
  remedy,
});

const unsuitable = (pattern: RegExp, effect: Effect, remedy: string): Rule => ({
  pattern,
  code: "DT_STORE_UNSUITABLE",
  effect,
  remedy,
});

/**
 * The first rule that matches counts. Texts are those of Redis 5 to 8 and Valkey; `definite` ones never follow a write.
 */
const rules: readonly Rule[] = [
  unsuitable(
    /^READONLY /,
    "definite",
    "this server is a read-only replica; connect to the primary, or through Sentinel",
  ),
  unsuitable(
    /^NOPERM .*(key|channel)/,
    "definite",
    "the ACL user may not touch keys of this prefix; grant ~<prefix>:* and &<prefix>:*",
  ),
  unsuitable(
    /^NOPERM .*script: |can't run this command or subcommand/,
    "unknown",
    `the ACL user lacks a command that the scripts run; the README of ${packageName("redis")} has the rule`,
  ),
  unsuitable(
    /^NOPERM /,
    "definite",
    `the ACL user lacks a command; the README of ${packageName("redis")} has the rule`,
  ),
  unsuitable(
    /unknown command .?(evalsha|eval)\b/i,
    "definite",
    "scripting is disabled on this server; enable EVAL and EVALSHA",
  ),
  unsuitable(
    /non deterministic commands/,
    "definite",
    "this server is too old; use Redis 5 or newer, Valkey, or a service compatible with them",
  ),
  unsuitable(
    /^(MOVED|ASK) /,
    "definite",
    "this server is a node of a Redis Cluster; give `cluster: { nodes }` or an ioredis Cluster",
  ),
  unsuitable(
    /cluster support disabled/,
    "definite",
    "this server is not part of a Redis Cluster; give `url` or `options` instead of `cluster`",
  ),
  unsuitable(/^CROSSSLOT /, "definite", "the server does not know hash tags {...}; use one that does"),
  // Before Redis 6 a wrong password has no code of its own.
  unsuitable(/^(NOAUTH|WRONGPASS) |^ERR invalid password/, "definite", "check the user name and the password"),
  unsuitable(/^WRONGTYPE /, "unknown", "another application uses keys of this prefix; choose another `prefix`"),
  unavailable(
    /^Connection in subscriber mode/,
    "definite",
    "give the store a client that is not used for subscriptions, or a duplicate() of it",
  ),
  unavailable(/^OOM /, "definite", "the server is out of memory (maxmemory)"),
  unavailable(/^MISCONF /, "definite", "the server refuses writes because it cannot save to its disk"),
  unavailable(/^NOREPLICAS /, "definite", "the server has fewer replicas than min-replicas-to-write asks for"),
  // Every redirection says that nothing ran there.
  unavailable(
    /^Too many Cluster redirections/,
    "definite",
    "a slot is being moved, or a node has failed; this passes by itself",
  ),
  unavailable(/^(LOADING|BUSY|MASTERDOWN|TRYAGAIN|CLUSTERDOWN) /, "definite", "this passes by itself"),
];

/** An error reply starts with a code in capitals; errors of clients do not. */
const errorReply = /^-?[A-Z][A-Z0-9_]+ /;

/** What ioredis says when it did not send a command. */
const neverSent = /enableOfflineQueue options is false/;

/** True for the reply to an EVALSHA of a script that the server does not have: nothing ran. */
export function isNoScript(error: unknown): boolean {
  return messageOf(error).startsWith("NOSCRIPT");
}

/** True for the reply of a Cluster to a command with keys of several slots: nothing ran. */
export function isCrossSlot(error: unknown): boolean {
  return messageOf(error).startsWith("CROSSSLOT");
}

/** True for the reply of a server that is a replica: nothing was written. */
export function isReadOnly(error: unknown): boolean {
  return reasonIn(messageOf(error)).startsWith("READONLY ");
}

/**
 * An error that a script passes on has ERR before its own code. Before Redis 7, what refused a write of a script comes
 * at the end of a longer text, as reports of users show it: https://github.com/redis/ioredis/pull/1089
 */
function reasonIn(message: string): string {
  return message
    .replace(/^ERR Error running script .* -(?=(READONLY|OOM|MISCONF) )/s, "")
    .replace(/^ERR (?=[A-Z]{3,} )/, "");
}

/** Of a Cluster without a connection, ioredis gives as its reason only that all nodes failed: the last one says why. */
function causeToShow(cause: Error): Error {
  return cause.name === "ClusterAllFailedError" && cause.cause instanceof Error ? cause.cause : cause;
}

/**
 * What a client threw, as the error of this package: error replies by their text, everything else as a lost connection.
 * The `cause` is {@link discreet}.
 * @param where what stands before the reason, such as that there was no connection
 */
export function clientError(what: string, error: unknown, where = ""): DtError {
  const cause = discreet(error);
  const message = reasonIn(causeToShow(cause).message);
  const rule = rules.find(({ pattern }) => pattern.test(message));
  if (rule) {
    return new DtError(rule.code, `${what} failed: ${where}${message}; ${rule.remedy}`, {
      effect: rule.effect,
      cause,
    });
  }
  if (/^Command timed out/.test(message)) {
    return new DtError("DT_STORE_TIMEOUT", `${what} was given up by the client's own commandTimeout`, {
      effect: "unknown",
      cause,
    });
  }
  const ranScript = message.includes("user_script") || !errorReply.test(message);
  return new DtError("DT_STORE_UNAVAILABLE", `${what} failed: ${where}${message}`, {
    effect: ranScript && !neverSent.test(message) ? "unknown" : "definite",
    cause,
  });
}

/** What a user can do about the reasons that Node, TLS and ioredis give. The first pattern that matches counts. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/sentinels are unreachable/, "see that the Sentinels run at these addresses, and that they know `name`"],
  [/ENOTFOUND|EAI_AGAIN/, "see the name of the host"],
  [/ECONNREFUSED|ENOENT|Connection is closed/, "see that Redis runs at this address"],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, "see host, port and firewall; a rediss:// url needs a port with TLS"],
  [/ECONNRESET|EPIPE/, "if this is a port with TLS, give a rediss:// url or options: { tls: {} }"],
  [/wrong version number|packet length too long/, "this port has no TLS: give a redis:// url"],
  [/certificate/i, "give the certificate of its authority as options: { tls: { ca } }, and the host by its name in it"],
  [/RESP type|Protocol error/, "another program listens at this port"],
];

/** The error of a call that had no connection within the deadline, for a reason that is known. Nothing was sent. */
export function noConnection(what: string, reason: unknown): DtError {
  const { code, message, cause } = clientError(what, reason, "no connection within the deadline: ");
  const known = code === "DT_STORE_UNAVAILABLE" ? REMEDIES.find(([pattern]) => pattern.test(message)) : undefined;
  return new DtError(code, known ? `${message}; ${known[1]}` : message, { cause });
}

/** What a client threw, as the error of a call. */
export function driverError(error: unknown, { what }: Call): DtError {
  return clientError(what, error);
}

/**
 * The error of a call that was not sent by its deadline.
 * @param lastError why there was no connection, as far as it is known
 */
export function notSent({ what }: Call, cause: DtError, lastError: unknown): DtError {
  if (lastError !== undefined) return noConnection(what, lastError);
  // Nothing is wrong as far as is known: many connect at once, or the network is silent.
  return new DtError("DT_STORE_TIMEOUT", `${what} failed: no connection within the deadline`, { cause });
}
