// `node tools/write-openapi.mjs <file> [<bench file> <leases file>]`: writes the API documents of `slotwire serve` for a twin, from the built code.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as contracts from '../modules/dist/contracts.js'
import { benchContract } from '../packages/bench-api/dist/index.js'
import { extensionDocument, openApiDocument } from '../packages/contract/dist/index.js'
import { catalog } from '../packages/device/dist/twin/index.js'
import { leaseContract } from '../packages/events/dist/index.js'
import { inRoot } from './setup/root.mjs'

const [, , file = '', benchFile, leasesFile] = process.argv
const { version } = /** @type {{ version: string }} */ (JSON.parse(readFileSync(inRoot('apps', 'cli', 'package.json'), 'utf8')))
write(file, openApiDocument(Object.values(contracts), { version }))
if (benchFile !== undefined) write(benchFile, extensionDocument(benchContract(catalog), { version }))
if (leasesFile !== undefined) write(leasesFile, extensionDocument(leaseContract, { version }))

/**
 * @param {string} path
 * @param {object} document
 */
function write(path, document) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
}
