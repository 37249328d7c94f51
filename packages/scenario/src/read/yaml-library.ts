import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

const requireModule = createRequire(import.meta.url)
let loaded: typeof Yaml | undefined

/** The YAML library, loaded with the first scenario: a command that reads none does not wait for it. */
export function yaml(): typeof Yaml {
  loaded ??= requireModule('yaml') as typeof Yaml
  return loaded
}
