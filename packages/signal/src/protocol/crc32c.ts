/** The Castagnoli polynomial, its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256 numbers: eight bytes at a time are six times as fast as one. */
const TABLES = tables();

/** CRC-32C (Castagnoli), which Pulsar's frames carry. Node's zlib has another one. */
export function crc32c(bytes: Uint8Array): number {
  const t = TABLES;
  const whole = bytes.length - (bytes.length % 8);
  let crc = -1;
  let i = 0;
  for (; i < whole; i += 8) {
    const low = crc ^ (at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24));
    crc =
      at(t, 1792 + (low & 255)) ^
      at(t, 1536 + ((low >>> 8) & 255)) ^
      at(t, 1280 + ((low >>> 16) & 255)) ^
      at(t, 1024 + (low >>> 24)) ^
      at(t, 768 + at(bytes, i + 4)) ^
      at(t, 512 + at(bytes, i + 5)) ^
      at(t, 256 + at(bytes, i + 6)) ^
      at(t, at(bytes, i + 7));
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ at(t, (crc ^ at(bytes, i)) & 255);
  return ~crc >>> 0;
}

/** An element that is known to be there. */
function at(numbers: Uint8Array | Int32Array, index: number): number {
  return numbers[index] as number;
}

function tables(): Int32Array {
  const t = new Int32Array(8 * 256);
  for (let n = 0; n < 256; n++) {
    let crc = n;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    t[n] = crc;
  }
  for (let i = 256; i < t.length; i++) t[i] = (at(t, i - 256) >>> 8) ^ at(t, at(t, i - 256) & 255);
  return t;
}
