// `node tools/write-openapi.mjs <file> [<bench file> <leases file>]`: writes the API documents of `slotwire serve` for a twin.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { bundleSources } from './build/bundle-sources.mjs'
import { inRoot } from './setup/root.mjs'

const sources = await bundleSources({
  contracts: 'modules/contracts.ts',
  bench: 'packages/bench-api/src/index.ts',
  contract: 'packages/contract/src/index.ts',
  twin: 'packages/device/src/twin/index.ts',
  events: 'packages/events/src/index.ts',
})
/** @type {typeof import('../modules/contracts.ts')} */
const contracts = await import(sources.contracts)
/** @type {typeof import('@slotwire/bench-api')} */
const { benchContract } = await import(sources.bench)
/** @type {typeof import('@slotwire/contract')} */
const { extensionDocument, openApiDocument } = await import(sources.contract)
/** @type {typeof import('@slotwire/device/twin')} */
const { catalog } = await import(sources.twin)
/** @type {typeof import('@slotwire/events')} */
const { leaseContract } = await import(sources.events)

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
