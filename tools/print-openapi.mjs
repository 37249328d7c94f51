// Prints the API document of everything that `slotwire serve` offers; from what was built.
import { readFileSync } from 'node:fs'
import * as contracts from '../modules/dist/contracts.js'
import { openApiDocument } from '../packages/contract/dist/index.js'
import { inRoot } from './setup/root.mjs'

const { version } = /** @type {{ version: string }} */ (JSON.parse(readFileSync(inRoot('apps', 'cli', 'package.json'), 'utf8')))
process.stdout.write(`${JSON.stringify(openApiDocument(Object.values(contracts), { version }), null, 2)}\n`)
