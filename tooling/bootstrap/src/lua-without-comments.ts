/** A comment of a line of its own, with the line; another one; or a string, which may look as if it had one in it. */
const LUA =
  /^[ \t]*--(?!\[=*\[)[^\n]*(?:\n|$)|[ \t]*--(?:\[(=*)\[[\s\S]*?\]\1\]|[^\n]*)|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/gm;

/** Lua without its comments: a server gets every script as text, and compiles it. */
export function luaWithoutComments(text: string): string {
  return text.replace(LUA, (part) => (part.trimStart().startsWith("--") ? "" : part));
}
