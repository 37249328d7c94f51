import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { foreignFiles } from './foreign-files.mjs'

/** @typedef {import('../pack/package-files.mjs').PackagedFile} PackagedFile */

/** Installation folder of the program, below the root. */
const PROGRAM = 'usr/lib/slotwire'
/** What only developers of other programs need. */
const FOR_DEVELOPERS = /\.(d\.ts|map)$/

/**
 * The bundled program with all packages that it needs at run time.
 * @param {readonly PackagedFile[]} program
 * @param {readonly import('../pack/closure.mjs').RuntimePackage[]} foreign
 * @returns {PackagedFile[]}
 */
export function installedFiles(program, foreign) {
  return [
    { to: 'usr/bin/slotwire', content: packaging('slotwire.sh'), executable: true },
    ...program.filter(({ to }) => !FOR_DEVELOPERS.test(to)).map(({ to, content }) => ({ to: join(PROGRAM, to), content })),
    ...foreign.flatMap(({ folder }) =>
      foreignFiles(folder).map((file) => ({ to: join(PROGRAM, folder, file), content: readFileSync(inRoot(folder, file)) })),
    ),
  ]
}

/**
 * A file of the repository that is installed unchanged.
 * @param {string} name
 */
export function packaging(name) {
  return readFileSync(inRoot('packaging', 'debian', name), 'utf8')
}
