import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

export type { Document as YamlDocument } from 'yaml'

const require = createRequire(import.meta.url)
let library: typeof Yaml | undefined

/** The YAML library, loaded when the first file is read: a service without such files saves its time and memory. */
export function yaml(): typeof Yaml {
  library ??= require('yaml') as typeof Yaml
  return library
}
