import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PackError } from '../pack/pack-error.mjs'
import { inRoot } from '../setup/root.mjs'

/** Debian's names of the supported architectures. */
export const ARCHITECTURES = ['amd64', 'arm64']

/**
 * @typedef {{ architectures: readonly string[], output: string }} DebOptions
 * @param {readonly string[]} words
 * @returns {DebOptions}
 */
export function readOptions(words) {
  const { arch, output } = parsed(words)
  if (arch !== undefined && !ARCHITECTURES.includes(arch))
    throw new PackError(`--arch must be one of ${ARCHITECTURES.join(', ')}`)
  return {
    architectures: arch === undefined ? ARCHITECTURES : [arch],
    output: output === undefined ? inRoot('dist', 'deb') : resolve(output),
  }
}

/** @param {readonly string[]} words */
function parsed(words) {
  try {
    return parseArgs({ args: [...words], options: { arch: { type: 'string' }, output: { type: 'string' } } }).values
  } catch (error) {
    throw new PackError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
