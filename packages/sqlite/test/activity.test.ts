import { DatabaseSync } from "node:sqlite";
import type { Activity, Report } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileUser } from "./support/file-user.ts";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

let path: string;
let clockMs: number;
/** A process of the version before has the file open that it made; then one of this version comes. */
let before: FileUser;
let now: FileUser;

beforeEach(async () => {
  path = sandbox.path();
  await sandbox.store(path).inspect("g");
  change("ALTER TABLE members DROP COLUMN activity");
  before = FileUser.beforeActivity(path);
  clockMs = 1_800_000_000_000;
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

function join(user: FileUser, id: string): void {
  clockMs += 1;
  ledger.register(user.table("g"), registration(id), clockMs);
}

function sync(user: FileUser, id: string, said: Partial<Report> = {}): void {
  clockMs += 1;
  ledger.sync(user.table("g"), ref(id), report(clockMs - 1_800_000_000_000, said), clockMs);
}

/** What a process of this version sees of each member. */
function shown(): (readonly [string, Activity | undefined])[] {
  const table = now.table("g");
  table.group();
  return table.members().map(({ id, activity }) => [id, activity ?? undefined] as const);
}

describe("beside processes of the version before members said what they do", () => {
  it("these go on, say nothing themselves, and leave what others say", () => {
    join(before, "a");
    now = FileUser.now(path);
    join(now, "b");
    join(before, "c");
    for (const id of ["a", "c"]) sync(before, id);
    sync(now, "b", { activity: { used: 7, waiting: 3 } });
    expect(shown()).toEqual([
      ["a", undefined],
      ["b", { used: 7, waiting: 3 }],
      ["c", undefined],
    ]);
    // Its row is written anew, with another rank.
    clockMs += 1;
    ledger.deregister(before.table("g"), ref("a"), { seq: 99, level: null }, clockMs);
    for (const id of ["c"]) sync(before, id);
    expect(shown()).toEqual([
      ["c", undefined],
      ["b", { used: 7, waiting: 3 }],
    ]);
  });
});

it.each(["'not JSON'", "'[]'", "'[1, 2, 3]'", "'[-1, 0]'", "NULL"])(
  "an activity that somebody wrote as %s is not known, and nothing is damaged",
  (text) => {
    now = FileUser.now(path);
    join(now, "a");
    sync(now, "a", { activity: { used: 7, waiting: 3 } });
    change(`UPDATE members SET activity = ${text}`);
    expect(shown()).toEqual([["a", undefined]]);
    sync(now, "a", { activity: { used: 1, waiting: 0 } });
    expect(shown()).toEqual([["a", { used: 1, waiting: 0 }]]);
  },
);
