/** What a file loads: at once, and later with `import()`. */
export interface Imports {
  readonly now: readonly string[]
  readonly later: readonly string[]
}

/** A comment that begins its line: compiled code and minified packages have few others, and a text may contain their signs. */
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm
/** `import 'a'`, `import x, { y } from 'a'`, `export * from 'a'`: a statement, at the beginning of a line or behind another one. */
const STATEMENT =
  /(?:^|[;}])\s*(?:import\b|export\b(?=\s*[{*]))(?:[\w\s$*,{}]*?\bfrom\b|[\w\s$*,]*\{[^}]*\}\s*from\b)?\s*(["'])([^"'\n]+)\1/gm
const CALL = /\bimport\(\s*(["'])([^"'\n]+)\1\s*\)/g
const STYLESHEET = /@import\s+(?:url\(\s*)?(["'])([^"'\n]+)\1/g

/** The imports of a module, as `tsc` or a bundler writes them. */
export function moduleImports(text: string): Imports {
  const code = text.replace(COMMENT, '')
  return { now: found(code, STATEMENT), later: found(code, CALL) }
}

export function stylesheetImports(text: string): Imports {
  return { now: found(text, STYLESHEET), later: [] }
}

function found(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, , name]) => name as string))]
}
