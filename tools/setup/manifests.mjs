import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './root.mjs'

/** The manifests of our own packages, except the root's, which has no version. */
export function manifests() {
  const folders = ['packages', 'apps'].flatMap((folder) => readdirSync(inRoot(folder)).map((name) => join(folder, name)))
  const files = [...folders, 'modules', 'benchmarks'].map((folder) => join(folder, 'package.json'))
  // A folder of another branch may have left its node_modules or dist.
  return files.filter((file) => existsSync(inRoot(file)))
}
