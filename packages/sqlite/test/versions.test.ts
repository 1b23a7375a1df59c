import { DatabaseSync } from "node:sqlite";
import type { Use, View } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileUser } from "./support/file-user.ts";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

/** The first epoch of each test begins 300 ms before it. */
const EPOCH = 1_800_000_000;

let path: string;
let clockMs: number;
/** A process of the version before has the file open that it made; then one of this version comes. */
let before: FileUser;
let now: FileUser;

beforeEach(async () => {
  path = sandbox.path();
  await sandbox.store(path).inspect("g");
  change("ALTER TABLE groups DROP COLUMN freed");
  before = FileUser.before(path);
  now = FileUser.now(path);
  clockMs = EPOCH * 1_000 + 300;
});

afterEach(() => {
  before.close();
  now.close();
});

function change(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

function join(user: FileUser, id: string): View {
  clockMs += 1;
  return ledger.register(user.table("g"), registration(id), clockMs);
}

/** A member has used so many tokens in the epoch after the first. */
function sync(user: FileUser, id: string, held: number, used: number, laterMs = 1): View {
  clockMs = Math.max(clockMs + laterMs, (EPOCH + 1) * 1_000);
  const use: Use = { epoch: EPOCH + 1, used };
  return ledger.sync(user.table("g"), ref(id), report(2, { held, use }), clockMs);
}

describe("while processes of the version before freed tokens were counted are in the file", () => {
  it("they go on, and its schema is one of theirs", () => {
    expect(join(before, "a")).toMatchObject({ status: "agree", held: 100 });
    expect(join(now, "b")).toMatchObject({ poolSize: 2 });
    expect(join(before, "c")).toMatchObject({ poolSize: 3 });
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 2 });
    database.close();
  });

  it("what a process of this version gives up begins early, as far as it was not used", () => {
    join(before, "a");
    join(now, "b");
    sync(now, "a", 50, 60);
    expect(sync(now, "b", 0, 0)).toMatchObject({ held: 50, early: 40, fromEpoch: EPOCH + 2 });
  });

  it("what one of them gives up does not, since nobody says how much of it was used", () => {
    join(now, "a");
    join(now, "b");
    sync(before, "a", 50, 60);
    expect(sync(now, "b", 0, 0)).toMatchObject({ held: 50, early: 0, fromEpoch: EPOCH + 2 });
  });

  it("nor does it when a process of this version wrote within the same millisecond", () => {
    join(now, "a");
    join(now, "b");
    sync(now, "b", 0, 0);
    sync(before, "a", 50, 60, 0);
    expect(sync(now, "b", 0, 0)).toMatchObject({ held: 50, early: 0, fromEpoch: EPOCH + 2 });
  });

  it("nor does what was given up before one of them wrote", () => {
    join(now, "a");
    join(now, "b");
    sync(now, "a", 50, 60);
    sync(before, "a", 50, 60);
    expect(sync(now, "b", 0, 0)).toMatchObject({ held: 50, early: 0, fromEpoch: EPOCH + 2 });
  });
});

it.each(["'not JSON'", "'[]'", "'[1, 2, 3, 4, 5, 6]'", "NULL"])(
  "freed tokens that somebody wrote as %s are not known, and nothing is damaged",
  (text) => {
    join(now, "a");
    join(now, "b");
    sync(now, "a", 50, 60);
    change(`UPDATE groups SET freed = ${text}`);
    expect(sync(now, "b", 0, 0)).toMatchObject({ held: 50, early: 0, fromEpoch: EPOCH + 2, learning: false });
  },
);
