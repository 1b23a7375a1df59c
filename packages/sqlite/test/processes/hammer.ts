// A member that keeps the protocol as fast as it can until it is told to stop or killed: joins, reports, sometimes
// leaves or comes back as another boot. After every answer it looks whether the file says the same. It is busy after
// two hundred calls.
import { isDtError, type MemberView } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";
import { registration, report } from "../support/registration.ts";

const [path, group, id, max] = process.argv.slice(2) as [string, string, string, string];
const store = sqliteStore({ path, timeout: "5s" });
const capacity = Number(max);
let boot = 0;
let calls = 0;
let stopping = false;
process.stdin.on("data", () => {
  stopping = true;
});
console.log("ready");

const accepted = (view: { status: string }): MemberView => {
  if (view.status === "unknown" || view.status === "fenced") throw new Error(`${id} was answered ${view.status}`);
  return view as MemberView;
};

while (!stopping) {
  const incarnation = `${id}-${process.pid}-${++boot}`;
  const me = { id: `${id}-${boot}`, incarnation };
  let seq = 1;
  let view = accepted(
    await store.register(group, registration(me.id, { incarnation, max: capacity, staleAfterMs: 2_000 })),
  );
  for (let i = 0; i < 10 + Math.random() * 40 && !stopping; i++) {
    seq += 1;
    const held = view.status === "agree" ? view.held : view.entitled;
    const { generation, members } = view;
    view = accepted(await store.sync(group, me, report(seq, { generation, members, held, max: capacity })));
    const seen = (await store.inspect(group)).members.find((member) => member.incarnation === incarnation);
    if (seen?.held !== view.held) throw new Error(`${id} was answered ${view.held}, and the file says ${seen?.held}`);
    calls += 2;
    if (calls === 200) console.log("busy");
    if (Math.random() < 0.2) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  }
  await store.deregister(group, me, { seq: seq + 1, level: null });
}
await store.close().catch((error: unknown) => {
  if (!isDtError(error)) throw error;
});
process.stdin.destroy();
