/**
 * `node raw-tcp-server.ts`: takes payloads with their length in four bytes before them, and confirms each with four
 * bytes. As little as a server can do that answers.
 */
import { type AddressInfo, createServer } from "node:net";

const server = createServer({ noDelay: true }, (socket) => {
  /** What is left of the payload that comes in, and the bytes of a length that came in part. */
  let [left, head, headLength, count] = [0, 0, 0, 0];
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    let done = 0;
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
        if (left === 0) done += 1;
        continue;
      }
      head = head * 256 + (chunk[at] as number);
      at += 1;
      headLength += 1;
      if (headLength === 4) [left, head, headLength] = [head, 0, 0];
    }
    if (done === 0) return;
    const answer = Buffer.allocUnsafe(4 * done);
    for (let i = 0; i < done; i++) answer.writeUInt32BE(++count, 4 * i);
    socket.write(answer);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on("end", () => process.exit());
