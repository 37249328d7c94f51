// Which part may import which (docs/architecture.md). tools/arrows.system.test.ts has an example that violates each rule.

/** Exempt from the rules: tests and their support files. */
const TEST = '\\.(test|testkit)\\.tsx?$'

/**
 * The other engine packages that each engine package may import.
 * @type {Record<string, string[]>}
 */
const ENGINE = {
  core: [],
  storage: ['core'],
  sdbp: ['core'],
  driver: ['contract', 'sdbp', 'core'],
  twin: ['contract', 'sdbp', 'core', 'storage'],
  contract: ['core'],
  client: ['contract', 'core'],
  // A judge shares no mistakes with what it judges.
  conform: ['contract', 'core'],
  bridge: ['client', 'contract', 'core'],
  service: ['contract', 'driver', 'core', 'sdbp'],
  events: ['service', 'contract', 'driver', 'core', 'storage'],
  edge: ['service', 'contract', 'core'],
  network: ['edge', 'contract', 'service', 'core', 'storage'],
  scenario: ['contract', 'twin', 'core', 'storage'],
  'bench-api': ['contract', 'service', 'scenario', 'twin', 'core'],
  device: ['edge', 'events', 'service', 'driver', 'twin', 'core'],
}
/** The only package that combines module types with the engine. */
const JOINS_MODULES = 'device'

/**
 * The sides of a module, and what each may import: other sides in its folder, and engine packages. A side consists of the files with one of
 * its names (`firmware.ts`, `firmware-fan.ts`, `firmware/…`). All other files belong to the service.
 * @type {Record<string, { names: string[], own: string[], engine: string[] }>}
 */
const SIDES = {
  limits: { names: ['limits'], own: [], engine: [] },
  contract: { names: ['contract', 'rules', 'errors'], own: ['limits'], engine: ['contract', 'core'] },
  // Shared by both ends of the bus.
  wire: { names: ['wire'], own: ['limits'], engine: ['sdbp', 'core'] },
  firmware: { names: ['firmware', 'circuit'], own: ['wire', 'limits'], engine: ['twin', 'core', 'sdbp'] },
  // What the type does for the whole device.
  host: { names: ['host'], own: ['wire', 'contract', 'limits'], engine: ['contract', 'driver', 'core'] },
  client: { names: ['client'], own: ['contract', 'limits'], engine: ['client', 'contract', 'core'] },
  service: { names: [], own: ['wire', 'contract', 'limits'], engine: ['contract', 'service', 'driver', 'core', 'sdbp'] },
}

/** @param {readonly string[]} names */
const anyOf = (names) => `(${names.join('|')})`

const engineRules = Object.entries(ENGINE).map(([name, allowed]) => ({
  name: `${name}-imports-no-package-but-${allowed.join('-') || 'none'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: `^packages/${anyOf([name, ...allowed])}/` },
}))

/**
 * Path of a side's files, in the folder `module`.
 * @param {string} side
 * @param {string} module
 */
function pathOfSide(side, module) {
  const names = SIDES[side]?.names ?? []
  if (names.length > 0) return `^modules/${module}/${anyOf(names)}[-./]`
  const taken = Object.values(SIDES).flatMap((other) => other.names)
  return `^modules/${module}/(?!${anyOf(taken)}[-./])`
}

const sideRules = Object.entries(SIDES).flatMap(([side, { own, engine }]) => [
  {
    name: `${side}-imports-no-side-but-${own.join('-') || 'none'}`,
    severity: 'error',
    from: { path: pathOfSide(side, '([^/]+)'), pathNot: TEST },
    to: { path: '^modules/$1/', pathNot: [side, ...own].map((name) => pathOfSide(name, '$1')) },
  },
  {
    name: `${side}-imports-no-engine-but-${engine.join('-') || 'none'}`,
    severity: 'error',
    from: { path: pathOfSide(side, '[^/]+'), pathNot: TEST },
    to: { path: '^packages/', pathNot: engine.map((name) => `^packages/${name}/`) },
  },
])

/** Other entry points of packages, as in their package.json. */
const OTHER_DOORS = [
  '^packages/device/src/(names|power-supplier|twin/index)\\.ts$',
  '^packages/driver/src/(kernel|power-manager)/index\\.ts$',
  '^packages/twin/src/(kernel/index|kinds)\\.ts$',
  '^packages/network/src/(backup/backup|discovery/discover/discover|proxy-config)\\.ts$',
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...engineRules,
    ...sideRules,
    {
      name: 'modules-never-import-each-other',
      severity: 'error',
      from: { path: '^modules/([^/]+)/', pathNot: TEST },
      to: { path: '^modules/', pathNot: '^modules/$1/' },
    },
    ...['contract', 'service', 'firmware', 'host', 'client', 'reading', 'control'].map((role) => ({
      name: `index-of-${role}s-imports-nothing-else`,
      severity: 'error',
      from: { path: `^modules/${role}s\\.ts$` },
      to: { path: '^modules/', pathNot: `^modules/[^/]+/${role}s?\\.ts$` },
    })),
    {
      name: 'packages-import-no-module',
      severity: 'error',
      from: { path: '^packages/', pathNot: [TEST, `^packages/${JOINS_MODULES}/`] },
      to: { path: '^modules/' },
    },
    {
      name: 'device-imports-modules-by-their-indexes',
      severity: 'error',
      from: { path: `^packages/${JOINS_MODULES}/`, pathNot: TEST },
      to: { path: '^modules/[^/]+/' },
    },
    {
      name: 'apps-import-modules-by-their-indexes',
      severity: 'error',
      from: { path: '^apps/', pathNot: TEST },
      to: { path: '^modules/[^/]+/' },
    },
    {
      name: 'apps-are-not-imported',
      comment: 'Not even by tests.',
      severity: 'error',
      from: { path: '^(packages|modules|benchmarks|tests)/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-import-no-other-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'console-uses-the-client',
      comment: 'Like any other page: what it needs and the client lacks goes into the client.',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: TEST },
      to: { path: '^packages/', pathNot: '^packages/(client|contract|core)/' },
    },
    {
      name: 'browser-safe',
      comment: 'core, contract, client, the parts of both in modules, and the console run in a browser.',
      severity: 'error',
      from: {
        path: [
          '^packages/(core|contract|client)/src/',
          '^modules/([^/]+/(contract|rules|errors|limits|client)[-/.]|(contract|client)s\\.ts$)',
          '^apps/console/src/',
        ],
        pathNot: TEST,
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'code-imports-no-test',
      severity: 'error',
      from: { path: '^(packages|modules|apps|benchmarks)/', pathNot: TEST },
      to: { path: [TEST, '^tests/'] },
    },
    {
      name: 'through-the-front-door',
      comment: 'Import a package by its name, never an inner file. This also applies to tests.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|modules|apps/[^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^packages/[^/]+/src/index\\.ts$', ...OTHER_DOORS, '^$1/', TEST],
      },
    },
    { name: 'no-circles', severity: 'error', from: { pathNot: TEST }, to: { circular: true } },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^tools/fixtures/'] },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
}
