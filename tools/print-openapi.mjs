// Prints the API document of everything that `slotwire serve` offers for a virtual device; from what was built.
import { readFileSync } from 'node:fs'
import * as contracts from '../modules/dist/contracts.js'
import { benchContract } from '../packages/bench/dist/index.js'
import { openApiDocument } from '../packages/contract/dist/index.js'
import { inRoot } from './setup/root.mjs'

const { version } = /** @type {{ version: string }} */ (JSON.parse(readFileSync(inRoot('apps', 'cli', 'package.json'), 'utf8')))
process.stdout.write(
  `${JSON.stringify(openApiDocument(Object.values(contracts), { version, extensions: [benchContract] }), null, 2)}\n`,
)
