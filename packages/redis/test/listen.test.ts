import { systemRuntime } from "@dt/core";
import type { Call, Topic } from "@dt/core/store";
import { expect, test } from "vitest";
import type { ChannelEvents, Channels } from "../src/client/connection.ts";
import { Hints } from "../src/listen.ts";
import type { Sender } from "../src/script/sender.ts";

const call: Call = { what: "redis onHint", signal: new AbortController().signal, untilMs: 0, sent: false };
const topic = (): Topic => ({ kind: "group", name: "g" });

/** Channels of which the server answers a SUBSCRIBE when the test lets it. */
async function open() {
  const subscribed = new Set<string>();
  const answers: (() => void)[] = [];
  const heard: string[] = [];
  let events: ChannelEvents | undefined;
  const channels: Channels = {
    async subscribe(names) {
      for (const name of names) subscribed.add(name);
      await new Promise<void>((resolve) => answers.push(resolve));
    },
    async unsubscribe(name) {
      subscribed.delete(name);
    },
    ping: async () => "PONG",
    close: () => undefined,
  };
  const sender = { send: async () => "secret" } as unknown as Sender;
  const use = { prefix: "dt", sender, runtime: systemRuntime, timeoutMs: 1_000 };
  const hints = new Hints(async (given) => {
    events = given;
    return channels;
  }, use);
  const link = await hints.listen({ onHint: ({ name }) => heard.push(name), onLost: () => undefined }, call);
  const publish = (): void => {
    for (const name of subscribed) events?.onMessage(name);
  };
  const asked = async (count: number): Promise<void> => {
    await expect.poll(() => answers.length).toBe(count);
  };
  return { link, subscribed, answers, heard, publish, asked };
}

test("a topic that was given up while it was subscribed to is listened to by the next caller", async () => {
  const { link, subscribed, answers, heard, publish, asked } = await open();
  const [given, next] = [topic(), topic()];
  const first = link.listen([given], call);
  await asked(1);
  await link.unlisten?.(given);
  const second = link.listen([next], call);
  await asked(2);
  for (const answer of answers) answer();
  await Promise.all([first, second]);
  expect(subscribed.size).toBe(1);
  publish();
  expect(heard).toEqual(["g"]);
  await link.unlisten?.(next);
  expect(subscribed.size).toBe(0);
});

test("a topic that was given up while it was subscribed to is listened to no more", async () => {
  const { link, subscribed, answers, asked } = await open();
  const given = topic();
  const listening = link.listen([given], call);
  await asked(1);
  await link.unlisten?.(given);
  for (const answer of answers) answer();
  await listening;
  expect(subscribed.size).toBe(0);
});
