import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { npm } from '../setup/install.mjs'
import { announce } from '../setup/progress.mjs'
import { inRoot } from '../setup/root.mjs'

/** Later versions of Node.js that users have, beside the one that runs this. */
export const OTHER_VERSIONS = [22, 24]

/**
 * The program of another version of Node.js; from npm, outside the lock file, into `dist/`.
 * @param {number} major
 * @returns {Promise<string | undefined>} undefined: it could not be had
 */
export async function otherNode(major) {
  const folder = inRoot('dist', `node-${major}`)
  const name = `node-${process.platform}-${process.arch}`
  const program = `${folder}/node_modules/${name}/bin/node`
  if (existsSync(program)) return program
  announce(`Installing Node.js ${major}…`)
  mkdirSync(folder, { recursive: true })
  // A folder of its own: without a manifest npm would take the repository's.
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n')
  const code = await npm([
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    `${name}@${major}`,
  ])
  return code === 0 && existsSync(program) ? program : undefined
}
