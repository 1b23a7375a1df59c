import type { ServerResponse } from "node:http";

/** Answers with a value as JSON. */
export function json(response: ServerResponse, status: number, value: object): void {
  const body = `${JSON.stringify(value)}\n`;
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/** Half an answer, and the end of the connection. */
export function cut(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 1_000 });
  response.write("{", () => response.destroy());
}
