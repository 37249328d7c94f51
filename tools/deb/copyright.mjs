import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { DebError } from './deb-error.mjs'
import { licenceFiles } from './needed-files.mjs'
import { packaging } from './program-files.mjs'

/** @typedef {import('./closure.mjs').RuntimePackage} RuntimePackage */

/** Packages without a licence file: what their manifest and website state. */
const WITHOUT_A_TEXT = /** @type {Record<string, string>} */ ({
  'abstract-logging': 'MIT, by James Sumners, according to its manifest; the text is that of the MIT licences here.',
})

/**
 * The licences of the program and of each package in it. Debian and most licences require this text.
 * @param {readonly RuntimePackage[]} packages
 */
export function copyrightText(packages) {
  const foreign = packages.filter(({ own }) => !own)
  const byText = new Map(/** @type {[string, RuntimePackage[]][]} */ ([]))
  for (const one of foreign) {
    const text = licenceOf(one)
    byText.set(text, [...(byText.get(text) ?? []), one])
  }
  const parts = [...byText].map(([text, sharing]) => `${titles(sharing)}\n\n${text}\n`)
  return [packaging('copyright-head.txt'), readFileSync(inRoot('LICENSE'), 'utf8'), ...parts].join(`\n${'-'.repeat(78)}\n\n`)
}

/** @param {RuntimePackage} one */
function licenceOf({ name, from }) {
  const texts = licenceFiles(from).map((file) => readFileSync(inRoot(join(from, file)), 'utf8').trim())
  const text = texts.length > 0 ? texts.join('\n\n') : WITHOUT_A_TEXT[name]
  if (text === undefined) throw new DebError(`${name} has no licence file: add its licence to tools/deb/copyright.mjs`)
  return text.replaceAll('\r\n', '\n')
}

/** @param {readonly RuntimePackage[]} packages */
function titles(packages) {
  return [...new Set(packages.map(({ name, version, license }) => `${name} ${version} (${license})`))].sort().join('\n')
}
