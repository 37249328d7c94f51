// The HTTP suite: what is tested on a whole device, once in each world of modules/worlds.testkit.ts.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { inRoot, root } from './root.mjs'
import { filesBelow } from './sources.mjs'

/** @typedef {{ readonly fullName: string, readonly status: string }} Assertion */
/** @typedef {{ readonly name: string, readonly assertionResults: readonly Assertion[] }} TestFile */

/** As the worlds are called in the titles of tests, and for whoever reads the outcome. */
const worlds = { twin: 'the twin', kernel: "the kernel's files" }

/** The value of SLOTWIRE_WORLDS for all of them. */
export const everyWorld = Object.keys(worlds).join()

const IN_EVERY_WORLD = /\bdescribeDevice\(|\bworlds\.map\(/
const WORLD = new RegExp(` \\((${Object.keys(worlds).join('|')})\\) `)
/** Faults that are told one by one. */
const MOST_TOLD = 20

/** Test files that run in every world, relative to the root. */
export function suiteFiles() {
  return filesBelow('modules', ['dist']).filter(
    (file) => file.endsWith('.test.ts') && IN_EVERY_WORLD.test(readFileSync(inRoot(file), 'utf8')),
  )
}

/**
 * What vitest's report of the suite says: a line with the counts, and what is wrong. A test that passed in one world has to pass in each.
 * @param {readonly TestFile[]} files
 * @returns {{ readonly line: string, readonly faults: readonly string[] }}
 */
export function outcomeOf(files) {
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ fullName, status }) => {
      const world = WORLD.exec(fullName)?.[1]
      return world === undefined ? [] : [{ world, status, title: `${relative(root, name)}: ${fullName.replace(WORLD, ' ')}` }]
    }),
  )
  const passed = Object.keys(worlds).map((world) =>
    tests.filter((test) => test.world === world && test.status === 'passed').map(({ title }) => title),
  )
  const counts = Object.values(worlds).map((words, index) => `${passed[index]?.length} passed over ${words}`)
  const all = new Set(tests.map(({ title }) => title))
  const faults = Object.values(worlds).flatMap((words, index) => {
    const here = new Set(passed[index])
    return [...all].filter((title) => !here.has(title)).map((title) => `not passed over ${words}: ${title}`)
  })
  const told = faults.length > MOST_TOLD ? [...faults.slice(0, MOST_TOLD), `and ${faults.length - MOST_TOLD} more`] : faults
  return { line: `HTTP suite: ${counts.join(', ')}`, faults: all.size === 0 ? ['no test has run'] : told }
}
