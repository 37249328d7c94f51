import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './root.mjs'

const FOLDER = join('docs', 'reference')

/** The files with the API documents, which a test writes from the contracts; they name the version. */
export function apiDocuments() {
  const names = readdirSync(inRoot(FOLDER)).filter((name) => /^openapi.*\.json$/.test(name))
  return names.sort().map((name) => join(FOLDER, name))
}
