/** A message's code, as protobufjs generates it. What its fields are is checked by the codec's tests. */
interface MessageCode {
  encode(message: object): { finish(): Uint8Array };
  /** @throws Error when the bytes are no such message, or a required field is missing */
  decode(bytes: Uint8Array): object;
}

export const dt: { readonly signal: Readonly<Record<"Command" | "MessageMetadata", MessageCode>> };
