/** Lua and SQL files are imported as text; the build and the tests inline them. */
declare module "*.lua" {
  const text: string;
  export default text;
}

declare module "*.sql" {
  const text: string;
  export default text;
}
