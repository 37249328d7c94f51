// `node tools/write-openapi.mjs <file>`: writes the API document of everything that `slotwire serve` has for a twin, from the built code.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as contracts from '../modules/dist/contracts.js'
import { benchContract } from '../packages/bench-api/dist/index.js'
import { openApiDocument } from '../packages/contract/dist/index.js'
import { catalog } from '../packages/device/dist/twin/index.js'
import { inRoot } from './setup/root.mjs'

const [, , file = ''] = process.argv
const { version } = /** @type {{ version: string }} */ (JSON.parse(readFileSync(inRoot('apps', 'cli', 'package.json'), 'utf8')))
const document = openApiDocument(Object.values(contracts), { version, extensions: [benchContract(catalog)] })
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
