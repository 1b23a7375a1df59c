import { expect, test } from "vitest";
import { UsageError } from "../src/exit-code.ts";
import { parseStoreAddress, showStoreAddress } from "../src/stores/store-address.ts";

test.each([
  ["sqlite:./ledger.db", { kind: "sqlite", path: "./ledger.db" }],
  ["sqlite:/var/run/with space.db", { kind: "sqlite", path: "/var/run/with space.db" }],
  ["redis://localhost:6379", { kind: "redis", url: "redis://localhost:6379" }],
  ["rediss://user:pw@host/2", { kind: "redis", url: "rediss://user:pw@host/2" }],
  ["postgres://app:pw@db/app", { kind: "postgres", url: "postgres://app:pw@db/app" }],
  ["postgresql://db/app", { kind: "postgres", url: "postgresql://db/app" }],
  ["etcd://localhost:2379", { kind: "etcd", url: "etcd://localhost:2379" }],
  ["etcds://localhost:2379", { kind: "etcd", url: "etcds://localhost:2379" }],
  [
    "redis://u:p%40w@h:1/2?prefix=test&family=6",
    { kind: "redis", url: "redis://u:p%40w@h:1/2?family=6", prefix: "test" },
  ],
  ["etcd://h:2379?prefix=a/b", { kind: "etcd", url: "etcd://h:2379", prefix: "a/b" }],
  [
    "postgres://db/app?sslmode=require&schema=test",
    { kind: "postgres", url: "postgres://db/app?sslmode=require", schema: "test" },
  ],
  ["dynamodb:limits", { kind: "dynamodb", table: "limits" }],
  ["dynamodb:limits?prefix=test", { kind: "dynamodb", table: "limits", prefix: "test" }],
  [
    "dynamodb:limits?region=eu-central-1&endpoint=http://localhost:8000",
    { kind: "dynamodb", table: "limits", region: "eu-central-1", endpoint: "http://localhost:8000" },
  ],
])("%s is an address", (text, address) => {
  expect(parseStoreAddress(text)).toEqual(address);
});

test.each([
  "",
  "sqlite:",
  "sqlite",
  "redis://",
  "redis:localhost",
  "rediss",
  "http://localhost",
  "/var/run/x.db",
  "etcd://",
  "mysql://db",
  "constructor://db",
  "dynamodb:",
  "dynamodb:limits?secret=1",
  "redis://h?schema=test",
  "postgres://h/db?prefix=test",
])("%j is not an address", (text) => {
  expect(() => parseStoreAddress(text)).toThrow(UsageError);
});

test("a prefix and a schema are shown: a report is of one of them", () => {
  for (const text of ["redis://h:1/2?prefix=test", "postgres://h/db?schema=test", "dynamodb:limits?prefix=test"])
    expect(showStoreAddress(parseStoreAddress(text))).toBe(text);
});

test("neither user, password nor parameters are shown", () => {
  expect(showStoreAddress({ kind: "redis", url: "rediss://user:se:cr%40et@host:1/2?password=x" })).toBe(
    "rediss://host:1/2",
  );
  expect(showStoreAddress({ kind: "redis", url: "redis://host:1" })).toBe("redis://host:1");
  expect(showStoreAddress({ kind: "sqlite", path: "x.db" })).toBe("sqlite:x.db");
  expect(showStoreAddress({ kind: "dynamodb", table: "limits", region: "eu-west-1" })).toBe("dynamodb:limits");
});
