import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { npm } from '../setup/install.mjs'
import { inRoot } from '../setup/root.mjs'
import { announced } from '../setup/run.mjs'

/** Supported versions of Node.js besides the current one. */
export const OTHER_VERSIONS = [22, 24]

/**
 * Installs another version of Node.js from npm into `dist/`, outside the lock file, and returns its path.
 * @param {number} major
 * @returns {Promise<string | undefined>} undefined if npm has none for this platform
 */
export async function otherNode(major) {
  const folder = inRoot('dist', `node-${major}`)
  const name = `node-${process.platform}-${process.arch}`
  const program = `${folder}/node_modules/${name}/bin/node`
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  // Without a manifest here, npm would use the repository's.
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n')
  const options = ['install', '--prefix', folder, '--no-save', '--no-package-lock', `${name}@${major}`]
  const code = await announced(`Installing Node.js ${major}`, () => npm(options))
  return code === 0 && existsSync(program) ? program : undefined
}
