import { describe, expect, test } from "vitest";
import { clientError, isNoScript, noConnection } from "../src/errors.ts";

/**
 * Texts of servers that are not at hand in the tests (other versions), and of clients. Those at hand are in
 * unsuitable.test.ts.
 */

const meaning = (message: string) => {
  const error = clientError("redis sync", new Error(message));
  // Arguments that a server repeats may hold a password: secrets.test.ts.
  const shown = message.replace(/, with args .*/, "").replace(/^ERR Error running script .* -(?=[A-Z]{3,} )/, "");
  return [error.code, error.effect, error.message.includes(shown) && !error.message.includes("args")];
};

describe("an error reply becomes an error by name", () => {
  test.each([
    [
      "Redis 4: ERR Error running script (call to f_1): @user_script:3: Write commands not allowed after non deterministic commands. Call redis.replicate_commands() at the start of your script",
      "DT_STORE_UNSUITABLE",
      "definite",
    ],
    [
      "Redis 7.2: NOPERM User x has no permissions to run the 'zadd' command script: 08bd90e8, on @user_script:1.",
      "DT_STORE_UNSUITABLE",
      "unknown",
    ],
    ["Redis 6: ERR unknown command `EVALSHA`, with args beginning with: `1`", "DT_STORE_UNSUITABLE", "definite"],
    ["ASK 3999 127.0.0.1:6381", "DT_STORE_UNSUITABLE", "definite"],
    ["CROSSSLOT Keys in request don't hash to the same slot", "DT_STORE_UNSUITABLE", "definite"],
    ["NOAUTH Authentication required.", "DT_STORE_UNSUITABLE", "definite"],
    ["Redis 5: ERR invalid password", "DT_STORE_UNSUITABLE", "definite"],
    ["LOADING Redis is loading the dataset in memory", "DT_STORE_UNAVAILABLE", "definite"],
    [
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      "DT_STORE_UNAVAILABLE",
      "definite",
    ],
    [
      "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
      "DT_STORE_UNAVAILABLE",
      "definite",
    ],
    [
      "Redis 6: ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
      "DT_STORE_UNSUITABLE",
      "definite",
    ],
    [
      "Redis 6: ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
      "DT_STORE_UNAVAILABLE",
      "definite",
    ],
    [
      "Redis 6: ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -MISCONF Errors writing to the AOF file: No space left on device",
      "DT_STORE_UNAVAILABLE",
      "definite",
    ],
    [
      "Redis 6: ERR Error running script (call to f_1): @user_script:7: attempt to index a nil value",
      "DT_STORE_UNAVAILABLE",
      "unknown",
    ],
    ["ERR something new that was refused before it ran", "DT_STORE_UNAVAILABLE", "definite"],
    [
      "ERR user_script:7: attempt to index a nil value script: 1f, on @user_script:7.",
      "DT_STORE_UNAVAILABLE",
      "unknown",
    ],
  ])("%s", (text, code, known) => {
    const message = text.replace(/^Redis [\d.]+: /, "");
    expect(meaning(message)).toEqual([code, known, true]);
  });
});

describe("why there is no connection is told with the remedy", () => {
  test.each([
    ["connect ECONNREFUSED 127.0.0.1:6379", "see that Redis runs at this address"],
    ["getaddrinfo ENOTFOUND redis.invalid", "see the name of the host"],
    ["connect ETIMEDOUT", "a rediss:// url needs a port with TLS"],
    ["write ECONNRESET", "if this is a port with TLS, give a rediss:// url"],
    ["0A00010B:SSL routines:tls_validate_record_header:wrong version number", "give a redis:// url"],
    ["self-signed certificate", "options: { tls: { ca } }"],
    ["Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list", "by its name in it"],
    ["All sentinels are unreachable. Last error: Connection is closed.", "see that the Sentinels run"],
    ['Unknown RESP type 72 "H". Please report this.', "another program listens at this port"],
  ])("%s", (reason, remedy) => {
    const error = noConnection("redis sync", new Error(reason));
    expect([error.code, error.effect]).toEqual(["DT_STORE_UNAVAILABLE", "definite"]);
    expect(error.message).toContain(`redis sync failed: no connection within the deadline: ${reason}; `);
    expect(error.message).toContain(remedy);
  });
});

describe("an error of the client becomes one whose effect is unknown, unless nothing was sent", () => {
  test.each([
    ["Connection is closed.", "unknown"],
    ["read ECONNRESET", "unknown"],
    ["Reached the max retries per request limit (which is 0).", "unknown"],
    ["Stream isn't writeable and enableOfflineQueue options is false", "definite"],
    ["Cluster isn't ready and enableOfflineQueue options is false", "definite"],
    ["Connection in subscriber mode, only subscriber commands may be used", "definite"],
  ])("%s", (message, known) => {
    expect(meaning(message)).toEqual(["DT_STORE_UNAVAILABLE", known, true]);
  });

  test("its own commandTimeout is a timeout", () => {
    expect(meaning("Command timed out").slice(0, 2)).toEqual(["DT_STORE_TIMEOUT", "unknown"]);
  });

  test("something that is not an error is shown", () => {
    expect(clientError("redis sync", "odd").message).toBe("redis sync failed: odd");
  });
});

test("a script that the server does not have is told from everything else", () => {
  expect(isNoScript(new Error("NOSCRIPT No matching script. Please use EVAL."))).toBe(true);
  expect(isNoScript(new Error("ERR NOSCRIPT"))).toBe(false);
});
