import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../setup/root.mjs'
import { PackError } from './pack-error.mjs'

/** @typedef {import('./closure.mjs').RuntimePackage} RuntimePackage */

/** A file with the licence of a package. */
export const LICENCE = /^(licen[cs]e|copying|notice)/i
/** Packages without a licence file: what their manifest and website state. */
const WITHOUT_A_TEXT = /** @type {Record<string, string>} */ ({
  'sparkplug-payload':
    'Copyright (c) 2017-2022 Cirrus Link Solutions and others, under the Eclipse Public License 2.0:\n' +
    'https://www.eclipse.org/legal/epl-2.0/. Its source is at https://github.com/eclipse/tahu, and in the package\n' +
    'sparkplug-payload at https://www.npmjs.com. It is unchanged here, without line breaks.',
  'abstract-logging': 'MIT, by James Sumners, according to its manifest; the text is that of the MIT licences here.',
})

/**
 * Licences, which most of them require to be passed on: a head, our own licence, and that of each foreign package.
 * @param {string} head
 * @param {readonly RuntimePackage[]} packages
 */
export function licencesOf(head, packages) {
  const byText = new Map(/** @type {[string, RuntimePackage[]][]} */ ([]))
  for (const one of packages) {
    const text = licenceOf(one)
    byText.set(text, [...(byText.get(text) ?? []), one])
  }
  const parts = [...byText].map(([text, sharing]) => `${titles(sharing)}\n\n${text}\n`)
  return [head, readFileSync(inRoot('LICENSE'), 'utf8'), ...parts].join(`\n${'-'.repeat(78)}\n\n`)
}

/** @param {RuntimePackage} one */
function licenceOf({ name, folder }) {
  const files = readdirSync(inRoot(folder))
    .filter((file) => LICENCE.test(file))
    .sort()
  const texts = files.map((file) => readFileSync(inRoot(join(folder, file)), 'utf8').trim())
  const text = texts.length > 0 ? texts.join('\n\n') : WITHOUT_A_TEXT[name]
  if (text === undefined) throw new PackError(`${name} has no licence file: add its licence to tools/pack/licences.mjs`)
  return text.replaceAll('\r\n', '\n')
}

/** @param {readonly RuntimePackage[]} packages */
function titles(packages) {
  return [...new Set(packages.map(({ name, version, license }) => `${name} ${version} (${license})`))].sort().join('\n')
}
