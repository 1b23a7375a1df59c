import { describe, expect, test } from "vitest";
import { UsageError } from "../src/exit-code.ts";
import { fromPackages } from "../src/stores/open-store.ts";

const absent = "no-such-package-of-dt";
const load = (): Promise<unknown> => import(/* @vite-ignore */ absent);

describe("a store whose packages come only with those who use it", () => {
  test("is refused with the command that installs them", async () => {
    const error = await fromPackages("etcd", ["@dt/etcd", "etcd3"], load).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toBe(
      "etcd needs @dt/etcd and etcd3, which are not installed beside @dt/cli; run: npm install @dt/etcd etcd3 (with -g if @dt/cli is global), or for one run: npx -p @dt/cli -p @dt/etcd -p etcd3 dt ...",
    );
  });

  test("is loaded where they are there, and what else goes wrong stays as it is", async () => {
    expect(await fromPackages("etcd", [], async () => 1)).toBe(1);
    const other = new Error("broken");
    const failing = async (): Promise<never> => {
      throw other;
    };
    expect(await fromPackages("etcd", [], failing).catch((reason: unknown) => reason)).toBe(other);
  });
});
