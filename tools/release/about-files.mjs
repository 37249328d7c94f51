import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { declaredVersion, neededPackages } from '../pack/package-files.mjs'

/**
 * Writes what users check a release with: the list of its parts (CycloneDX, always the same for the same sources), and the SHA-256 of
 * every file, as `sha256sum --check` reads it.
 * @param {string} folder
 * @param {readonly string[]} made the packages
 * @returns {string[]} the written files
 */
export function describeRelease(folder, made) {
  const parts = join(folder, 'slotwire.cdx.json')
  const sums = join(folder, 'SHA256SUMS')
  writeFileSync(parts, `${JSON.stringify(listOfParts(), null, 2)}\n`)
  const lines = [...made, parts].map((file) => `${sha256(file)}  ${basename(file)}\n`)
  writeFileSync(sums, lines.join(''))
  return [parts, sums]
}

/** The packages that the release installs or contains. */
function listOfParts() {
  const { foreign, bundled } = neededPackages()
  const components = new Map([...foreign, ...bundled].map((one) => [`${one.name}@${one.version}`, component('library', one)]))
  const slotwire = component('application', { name: 'slotwire', version: declaredVersion(), license: 'MIT' })
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: slotwire },
    components: [...components.values()],
  }
}

/**
 * @param {'application' | 'library'} type
 * @param {{ name: string, version: string, license: string }} about
 */
function component(type, { name, version, license }) {
  return { type, name, version, licenses: [{ expression: license }], purl: `pkg:npm/${name.replace('@', '%40')}@${version}` }
}

/** @param {string} file */
function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
