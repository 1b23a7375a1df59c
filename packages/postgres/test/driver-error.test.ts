import { describe, expect, test } from "vitest";
import { driverError, leavesConnectionUsable } from "../src/errors.ts";

/** An error as `pg` gives it for a message of the server. */
const fromServer = (code: string, message = "no"): Error =>
  Object.assign(new Error(message), { severity: "ERROR", code });

const attempt = { what: "postgres sync", sent: true };

describe("an error of the server", () => {
  test.each([
    ["25006", "DT_STORE_UNSUITABLE", "definite", "connect to the primary"],
    ["42501", "DT_STORE_UNSUITABLE", "definite", "GRANT statements"],
    ["28P01", "DT_STORE_UNSUITABLE", "definite", "the password"],
    ["28000", "DT_STORE_UNSUITABLE", "definite", "pg_hba.conf"],
    ["3D000", "DT_STORE_UNSUITABLE", "definite", "create the database"],
    ["53300", "DT_STORE_UNAVAILABLE", "definite", "max_connections"],
    ["57P03", "DT_STORE_UNAVAILABLE", "definite", "passes by itself"],
    ["40001", "DT_STORE_UNAVAILABLE", "definite", "read committed"],
    ["40P01", "DT_STORE_UNAVAILABLE", "definite", "SQLSTATE 40P01"],
    ["55P03", "DT_STORE_TIMEOUT", "definite", "locked by others"],
    ["57014", "DT_STORE_TIMEOUT", "definite", "statement_timeout"],
    ["22003", "DT_STORE_UNAVAILABLE", "definite", "SQLSTATE 22003"],
    // These end the session, and may come when the statement has committed already.
    ["57P01", "DT_STORE_UNAVAILABLE", "unknown", "SQLSTATE 57P01"],
    ["08006", "DT_STORE_UNAVAILABLE", "unknown", "SQLSTATE 08006"],
    ["58000", "DT_STORE_UNAVAILABLE", "unknown", "SQLSTATE 58000"],
    ["XX000", "DT_STORE_UNAVAILABLE", "unknown", "SQLSTATE XX000"],
  ])("%s becomes %s, %s, and says: %s", (state, code, effect, text) => {
    const cause = fromServer(state);
    const error = driverError(cause, attempt);
    expect(error).toMatchObject({ code, effect, cause });
    expect(error.message).toContain(text);
    expect(error.message).toContain("postgres sync failed: no");
  });

  test.each([
    ["DT002", "resetPermits(key)"],
    ["DT003", "resetBudget(name)"],
  ])("%s is a damaged row, named with the remedy %s, whatever bars are in its name", (state, remedy) => {
    const error = driverError(fromServer(state, "the row of a|b|a time that is none"), attempt);
    expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
    expect(error.message).toMatch(/^the row of a\|b holds a time that is none: /);
    expect(error.message).toContain(remedy);
  });

  test("that came before the statement was sent is definite, whatever it is", () => {
    expect(driverError(fromServer("08006"), { ...attempt, sent: false })).toMatchObject({ effect: "definite" });
  });

  test("leaves the connection usable unless it is about the connection, the server, or a server that only reads", () => {
    const usable = ["42883", "55P03", "40001", "57014", "22003"];
    const not = ["08P01", "57P01", "57P03", "58030", "XX000", "25006"];
    expect(usable.filter((state) => leavesConnectionUsable(fromServer(state)))).toEqual(usable);
    expect(not.filter((state) => leavesConnectionUsable(fromServer(state)))).toEqual([]);
    expect(leavesConnectionUsable(new Error("Connection terminated unexpectedly"))).toBe(false);
  });
});

describe("an error of the driver or the network", () => {
  test("is unknown once the statement was sent, definite before", () => {
    const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(driverError(cause, attempt)).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "unknown", cause });
    expect(driverError(cause, { ...attempt, sent: false })).toMatchObject({ effect: "definite" });
  });

  test("of several addresses shows the first one's", () => {
    const cause = new AggregateError([new Error("connect ECONNREFUSED ::1:5432"), new Error("other")]);
    expect(driverError(cause, attempt).message).toContain("ECONNREFUSED ::1:5432");
  });

  test("that is the pool's own query_timeout is a timeout", () => {
    expect(driverError(new Error("Query read timeout"), attempt)).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      effect: "unknown",
    });
  });

  test("that is none at all is told as it is", () => {
    expect(driverError("odd", attempt).message).toBe("postgres sync failed: odd");
  });
});
