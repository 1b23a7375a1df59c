import {
  type Command,
  decodeFrame,
  encodeFrame,
  FrameReader,
  LARGEST_FRAME_BYTES,
  throttlingReasons,
} from "@dt/signal";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "../../src/protocol/crc32c.ts";

const id = fc.oneof(fc.nat(), fc.maxSafeNat());
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const flags = fc.record({ supportsThrottleProducerCommands: fc.boolean() }, { requiredKeys: [] });
const fields = { requestId: id, producerId: id, consumerId: id, sequenceId: id, messageId: id };
const { requestId, producerId, consumerId, sequenceId, messageId } = fields;

/** Every command there is, with any fields. */
const commands: Readonly<Record<Command["type"], fc.Arbitrary<object>>> = {
  connect: fc.record({ clientVersion: text, featureFlags: flags }, { requiredKeys: ["clientVersion"] }),
  connected: fc.record(
    { serverVersion: text, featureFlags: flags, maxFrameSize: fc.nat() },
    { requiredKeys: ["serverVersion"] },
  ),
  createProducer: fc.record({ requestId, producerId, topic: text, producerName: text }),
  producerSuccess: fc.record({ requestId, producerName: text, lastSequenceId: id }),
  send: fc.record({ producerId, sequenceId }),
  sendReceipt: fc.record({ producerId, sequenceId, messageId }),
  sendError: fc.record({ producerId, sequenceId, message: text }),
  closeProducer: fc.record({ requestId, producerId }),
  subscribe: fc.record(
    { requestId, consumerId, topic: text, fromMessageId: id },
    { requiredKeys: ["requestId", "consumerId", "topic"] },
  ),
  flow: fc.record({ consumerId, permits: fc.nat() }),
  message: fc.record({ consumerId, messageId }),
  closeConsumer: fc.record({ requestId, consumerId }),
  success: fc.record({ requestId }),
  error: fc.record({ requestId, message: text }),
  ping: fc.record({}),
  pong: fc.record({}),
  throttleProducer: fc.record({
    requestId,
    producerId,
    throttlingReason: fc.constantFrom(...throttlingReasons),
    pauseForMillis: id,
  }),
  throttleProducerReceipt: fc.record({ requestId }),
};

const body = fc.record({
  payload: fc.uint8Array({ maxLength: 3_000 }),
  metadata: fc.record({ key: text }, { requiredKeys: [] }),
});

const frame = fc
  .constantFrom(...(Object.keys(commands) as Command["type"][]))
  .chain((type) =>
    fc.tuple(
      commands[type].map((rest) => ({ type, ...rest }) as Command),
      body,
    ),
  )
  .map(([command, with_]) => ({ command, body: ["send", "message"].includes(command.type) ? with_ : undefined }));

/** Every frame in the bytes, which come in chunks of these sizes, over and over. */
function read(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const reader = new FrameReader();
  const frames: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] as number;
    reader.push(bytes.subarray(at, at + size));
    at += size;
    for (let next = reader.next(); next; next = reader.next()) frames.push(Buffer.from(next));
  }
  expect(reader.bufferedBytes).toBe(0);
  return frames;
}

describe("frames", () => {
  it("come out as they went in, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }),
        (sent, sizes) => {
          const bytes = Buffer.concat(sent.map(({ command, body }) => encodeFrame(command, body)));
          const got = read(bytes, sizes).map(decodeFrame);
          expect(got.map(({ command }) => command)).toEqual(sent.map(({ command }) => command));
          for (const [i, { body }] of got.entries()) {
            expect(body?.metadata).toEqual(sent[i]?.body?.metadata);
            expect(Buffer.from(body?.payload ?? [])).toEqual(Buffer.from(sent[i]?.body?.payload ?? []));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a changed byte of a payload is found", () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.integer({ min: 1, max: 255 }), (body, where, change) => {
        const bytes = encodeFrame({ type: "send", producerId: 1, sequenceId: 1 }, body);
        // After the sizes, the command, the mark and the checksum itself.
        const start = 8 + bytes.readUInt32BE(4) + 6;
        const at = start + (where % (bytes.length - start));
        bytes[at] = (bytes[at] as number) ^ change;
        expect(() => decodeFrame(bytes.subarray(4))).toThrow(expect.objectContaining({ code: "DT_PROTOCOL" }));
      }),
    );
  });

  it("any bytes are a frame, or a protocol error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 60 }), (bytes) => {
        try {
          decodeFrame(Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ code: "DT_PROTOCOL" });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("the throttle commands have the design's tags, and the feature flag is number 6", () => {
    const signal = encodeFrame({
      type: "throttleProducer",
      requestId: 3,
      producerId: 5,
      throttlingReason: "MessageBufferSizeBreach",
      pauseForMillis: 700,
    });
    // 1: 3, 2: 5, 4: 3, 5: 700, as a nested message of field 17.
    expect(signal.subarray(8).toString("hex")).toBe("8a010908031005200328bc05");
    expect(encodeFrame({ type: "throttleProducerReceipt", requestId: 3 }).subarray(8).toString("hex")).toBe(
      "9201020803",
    );
    const hello = encodeFrame({
      type: "connect",
      clientVersion: "",
      featureFlags: { supportsThrottleProducerCommands: true },
    });
    expect(hello.subarray(8).toString("hex")).toBe("0a060a0012023001");
  });

  it("required fields are written even when they are 0, and a command without one is refused", () => {
    const [pause, reason] = ["2800", "2000"];
    const bytes = encodeFrame({
      type: "throttleProducer",
      requestId: 0,
      producerId: 0,
      throttlingReason: "TopicProduceQuotaExceeded",
      pauseForMillis: 0,
    });
    expect(bytes.toString("hex")).toContain(reason + pause);
    const without = Buffer.from("000000058a01020801", "hex");
    expect(() => decodeFrame(without)).toThrow(expect.objectContaining({ code: "DT_PROTOCOL" }));
  });

  it("numbers beyond 2^53 - 1, payloads where none belong, and commands that are not known are refused", () => {
    const command = (hex: string): Buffer => {
      const bytes = Buffer.from(hex, "hex");
      return Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
    };
    for (const hex of ["92010b08ffffffffffffffffff01", "", "fa07020801", "0a"])
      expect(() => decodeFrame(command(hex))).toThrow(expect.objectContaining({ code: "DT_PROTOCOL" }));
    const ping = encodeFrame({ type: "ping" }).subarray(4);
    expect(() => decodeFrame(Buffer.concat([ping, Buffer.from("0e01", "hex")]))).toThrow("with a payload");
    expect(() => decodeFrame(encodeFrame({ type: "send", producerId: 1, sequenceId: 1 }).subarray(4))).toThrow(
      "without a payload",
    );
  });

  it("5 MiB after the size is the most, and no room is made for more", () => {
    const reader = new FrameReader();
    const head = Buffer.alloc(4);
    head.writeUInt32BE(LARGEST_FRAME_BYTES);
    reader.push(head);
    expect(reader.next()).toBeUndefined();
    expect(reader.partial).toBe(true);
    head.writeUInt32BE(LARGEST_FRAME_BYTES + 1);
    const other = new FrameReader();
    other.push(Buffer.from(head));
    expect(() => other.next()).toThrow(`at most ${LARGEST_FRAME_BYTES}`);
    expect(other.bufferedBytes).toBe(0);
  });

  it("room is made for what has arrived, twice of it at most, and never for more than the frame", () => {
    const frame = encodeFrame(
      { type: "send", producerId: 1, sequenceId: 1 },
      { metadata: {}, payload: Buffer.alloc(1e6) },
    );
    const reader = new FrameReader();
    let arrived = 0;
    for (let at = 0; at < frame.length; at += 1_000) {
      reader.push(frame.subarray(at, at + 1_000));
      const whole = reader.next();
      arrived = Math.min(at + 1_000, frame.length);
      expect(whole !== undefined).toBe(arrived === frame.length);
      expect(reader.bufferedBytes).toBeLessThanOrEqual(Math.min(frame.length, Math.max(2 * arrived, 4_096)));
      if (whole) expect(whole.equals(frame.subarray(4))).toBe(true);
    }
    expect(reader.bufferedBytes).toBe(0);
  });

  it("a frame that there is no room for is asked for again, and not lost", () => {
    const reader = new FrameReader();
    const frame = encodeFrame({ type: "connect", clientVersion: "a".repeat(9_000) });
    reader.push(frame.subarray(0, 8_000));
    const answers = [false, false, true];
    const next = () => reader.next(() => answers.shift() as boolean);
    expect([next(), next(), next(), answers]).toEqual([undefined, undefined, undefined, []]);
    reader.push(frame.subarray(8_000));
    expect(reader.next(() => false)).toBeUndefined();
    expect(reader.next()?.equals(frame.subarray(4))).toBe(true);
  });
});

describe("CRC-32C", () => {
  it("is that of RFC 3720's examples", () => {
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
    expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => i)))).toBe(0x46dd794e);
  });

  it("eight bytes at a time are the same as one bit at a time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        let crc = 0xffffffff;
        for (const byte of bytes) {
          crc = (crc ^ byte) >>> 0;
          for (let bit = 0; bit < 8; bit++) crc = (crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1) >>> 0;
        }
        expect(crc32c(bytes)).toBe((crc ^ 0xffffffff) >>> 0);
      }),
    );
  });
});
