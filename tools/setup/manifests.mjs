import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './root.mjs'

/** The manifests of our own packages, except the root's, which has no version. */
export function manifests() {
  const folders = ['packages', 'apps'].flatMap((folder) => readdirSync(inRoot(folder)).map((name) => join(folder, name)))
  return [...folders, 'modules', 'benchmarks'].map((folder) => join(folder, 'package.json'))
}
