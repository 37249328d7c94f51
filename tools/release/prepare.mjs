import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PackError } from '../pack/pack-error.mjs'
import { apiDocuments } from '../setup/api-documents.mjs'
import { manifests } from '../setup/manifests.mjs'
import { inRoot } from '../setup/root.mjs'

const CHANGELOG = 'CHANGELOG.md'
/** Names the tarball. */
const README = 'README.md'
const LOCK = 'package-lock.json'
/** Holds the version for programs. */
const SOURCE = join('packages', 'core', 'src', 'descriptor.ts')
const UNRELEASED = '## Unreleased\n'
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * Sets the version in all files, and gives the unreleased part of the changelog its version and day. Checks everything before it writes.
 * @param {string | undefined} version
 * @param {{ current: string, day: string }} about
 * @returns {string[]} the changed files
 */
export function prepareSources(version, { current, day }) {
  if (version === undefined || !isLater(version, current)) {
    throw new PackError(`write a version later than ${current}, with three numbers: npm run release -- <version>`)
  }
  const changed = new Map([
    ...[...manifests(), ...apiDocuments()].map(
      (file) => /** @type {const} */ ([file, withVersion(read(file), current, version)]),
    ),
    [LOCK, lockWithVersion(read(LOCK), version)],
    [SOURCE, sourceWithVersion(read(SOURCE), version)],
    [README, read(README).replaceAll(`slotwire-${current}.tgz`, `slotwire-${version}.tgz`)],
    [CHANGELOG, released(read(CHANGELOG), version, day)],
  ])
  for (const [file, text] of changed) writeFileSync(inRoot(file), text)
  return [...changed.keys()]
}

/**
 * The changelog with a heading for the version below the empty unreleased part.
 * @param {string} text
 * @param {string} version
 * @param {string} day as in 2026-11-23
 */
export function released(text, version, day) {
  const [head = '', rest] = text.split(UNRELEASED)
  const [entries = ''] = rest?.split(/^## /m) ?? []
  if (rest === undefined || entries.trim() === '')
    throw new PackError(`${CHANGELOG} has no unreleased changes: write what users notice`)
  return `${head}${UNRELEASED}\n## ${version} (${day})\n${rest}`
}

/**
 * @param {string} version
 * @param {string} current
 */
function isLater(version, current) {
  if (!VERSION.test(version)) return false
  const [ours, theirs] = [version, current].map((text) => text.split('.').map(Number))
  const difference = ours?.map((number, index) => number - (theirs?.[index] ?? 0)).find((each) => each !== 0) ?? 0
  return difference > 0
}

/**
 * @param {string} manifest
 * @param {string} current
 * @param {string} version
 */
function withVersion(manifest, current, version) {
  return manifest.replaceAll(
    new RegExp(`("version"|"@slotwire/[\\w-]+"): "${current.replaceAll('.', '\\.')}"`, 'g'),
    `$1: "${version}"`,
  )
}

/**
 * @param {string} text
 * @param {string} version
 */
function lockWithVersion(text, version) {
  const lock = /** @type {{ packages: Record<string, { version?: string, dependencies?: Record<string, string> }> }} */ (
    JSON.parse(text)
  )
  for (const [folder, entry] of Object.entries(lock.packages)) {
    if (folder === '' || folder.includes('node_modules/')) continue
    entry.version = version
    for (const name of Object.keys(entry.dependencies ?? {})) {
      if (name.startsWith('@slotwire/')) entry.dependencies = { ...entry.dependencies, [name]: version }
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

/**
 * @param {string} text
 * @param {string} version
 */
function sourceWithVersion(text, version) {
  const [, major, minor, patch] = VERSION.exec(version) ?? []
  return text.replace(/(SLOTWIRE_VERSION: Version = ).*/, `$1{ major: ${major}, minor: ${minor}, patch: ${patch} }`)
}

/** @param {string} file */
function read(file) {
  return readFileSync(inRoot(file), 'utf8')
}
