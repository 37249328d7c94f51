import { expect, it } from 'vitest'
import { linesOfCode } from './lines.mjs'

it.each([
  ['blank lines and comments', 'a.ts', '\n// one\n/* two\n\n three */\n\n  /** four */\n', 0],
  ['code with a comment beside it', 'a.ts', 'one() // 1\n/* 2 */ two()\nthree( /* 3\n 3 */)\n', 4],
  ['slashes in a string', 'a.ts', "open('http://host /*')\nclose()\n", 2],
  ['a template, without its blank lines', 'a.ts', '`// ${f(`/*`)}\n\n// one`\n// two\n', 2],
  ['slashes and quotes in a regular expression', 'a.mjs', "x = /['/*]/ // y\ny = z / 2 /* z\n */\n", 2],
  ['a comment before the end, and one of a function', 'a.tsx', '/** Opens. */\nfunction open() {}\n/* end */\n', 1],
  ['a shell script', 'a.sh', '#!/bin/sh\n\n  # one\necho "# two" # three\n', 1],
  ['a style sheet', 'a.css', '/* one\n\n two */\na { b: c } /* d */\n', 1],
  ['a page', 'a.html', '<!-- one\n two -->\n<p>\n', 1],
  ['a lock file', 'package-lock.json', '{}\n', 0],
])('linesOfCode counts %s', (_what, file, text, lines) => expect(linesOfCode(file, text)).toBe(lines))
