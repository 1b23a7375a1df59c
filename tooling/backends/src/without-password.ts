/** An address fit for a message. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//***@");
}
