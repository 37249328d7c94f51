// `npm run lines`: prints the lines of code in each folder, for sources and for tests; with `-- FOLDER` those of one folder. Blank lines and comments do not count.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { inRoot, root } from './setup/root.mjs'

const SCRIPT = /\.(tsx?|[cm]?js)$/
/** @type {Readonly<Record<string, RegExp>>} */
const OTHER_COMMENTS = { '.css': /\/\*[^]*?\*\//g, '.html': /<!--[^]*?-->/g, '.sh': /^\s*#.*/gm }
const TEST = /\.(test|testkit|setup)\.ts$/

/**
 * Counts the lines of code in a file; 0 if it is not code.
 * @param {string} file its name
 * @param {string} text
 */
export function linesOfCode(file, text) {
  if (SCRIPT.test(file)) return linesOfScript(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  const comment = OTHER_COMMENTS[extname(file)]
  return comment === undefined ? 0 : (text.replace(comment, '').match(/^.*\S/gm)?.length ?? 0)
}

/**
 * Counts the lines that tokens touch: the parser distinguishes comments from strings, templates and regular expressions.
 * @param {ts.SourceFile} source
 */
function linesOfScript(source) {
  const code = new Set()
  /** @param {ts.Node} node */
  const visit = (node) => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child))
    children.forEach(visit)
    if (children.length > 0) return
    // A template may have blank lines.
    for (const { index } of node.getText(source).matchAll(/^.*\S/gm))
      code.add(source.getLineAndCharacterOfPosition(node.getStart(source) + index).line)
  }
  visit(source)
  return code.size
}

/** @param {string | undefined} only a folder from the root, or undefined for all */
function print(only) {
  const within = only === undefined ? [] : [only.replace(/\/$/, '')]
  const files = execFileSync('git', ['ls-files', '-z', '--', ...within], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)
  if (files.length === 0) throw new RangeError(`${only} has no files in git: name a folder from the root`)
  const counts = files
    .filter((file) => existsSync(inRoot(file)))
    .map((file) => ({
      folder: only === undefined ? (/^(packages|apps)\/[^/]+|^[^/]+(?=\/)/.exec(file)?.[0] ?? '.') : dirname(file),
      kind: TEST.test(file) ? 'tests' : 'sources',
      lines: linesOfCode(file, readFileSync(inRoot(file), 'utf8')),
    }))
    .filter(({ lines }) => lines > 0)
  const rows = [...new Set(counts.map(({ folder }) => folder)), 'total'].map((row) => {
    const inRow = counts.filter(({ folder }) => row === 'total' || folder === row)
    const sums = ['sources', 'tests'].map((wanted) =>
      inRow.reduce((sum, { kind, lines }) => sum + (kind === wanted ? lines : 0), 0),
    )
    return [row, ...sums]
  })
  for (const [name = '', ...sums] of [['', 'sources', 'tests'], ...rows])
    process.stdout.write(`${String(name).padEnd(36)}${sums.map((sum) => String(sum).padStart(9)).join('')}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(process.argv[2])
