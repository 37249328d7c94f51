import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A note that something was done, for the next start.
 * @param {string} file
 * @returns {unknown} undefined: there is none
 */
export function readStamp(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * Puts a note in place as a whole: a process that ends in between leaves the old one.
 * @param {string} file
 * @param {object} note
 */
export function writeStamp(file, note) {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(note))
  renameSync(draft, file)
}
