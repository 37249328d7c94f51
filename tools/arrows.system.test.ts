import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tests/temporary-folder.testkit.ts'
import { inRoot } from './setup/root.mjs'

const ENGINE = 'core storage sdbp driver twin contract client conform bridge service events network scenario bench-api'.split(' ')

/** Rule, file, and a forbidden import of the file. */
const forbidden: readonly (readonly [rule: string, file: string, target: string])[] = [
  ['core-imports-no-package-but-none', 'packages/core/src/a.ts', '@slotwire/sdbp'],
  ['sdbp-imports-no-package-but-core', 'packages/sdbp/src/a.ts', '@slotwire/driver'],
  ['driver-imports-no-package-but-contract-sdbp-core', 'packages/driver/src/a.ts', '@slotwire/twin'],
  ['storage-imports-no-package-but-core', 'packages/storage/src/a.ts', '@slotwire/sdbp'],
  ['twin-imports-no-package-but-contract-sdbp-core-storage', 'packages/twin/src/a.ts', '@slotwire/driver'],
  ['contract-imports-no-package-but-core', 'packages/contract/src/a.ts', '@slotwire/sdbp'],
  ['client-imports-no-package-but-contract-core', 'packages/client/src/a.ts', '@slotwire/service'],
  ['conform-imports-no-package-but-contract-core', 'packages/conform/src/a.ts', '@slotwire/client'],
  ['conform-imports-no-package-but-contract-core', 'packages/conform/src/checks/b.ts', '../../../service/src/index.ts'],
  ['packages-import-no-module', 'packages/conform/src/c.ts', '@slotwire/modules/contracts'],
  ['bridge-imports-no-package-but-client-contract-core', 'packages/bridge/src/a.ts', '@slotwire/service'],
  ['service-imports-no-package-but-contract-driver-core-sdbp', 'packages/service/src/a.ts', '@slotwire/twin'],
  ['service-imports-no-package-but-contract-driver-core-sdbp', 'packages/service/src/inner/b.ts', '../../../twin/src/index.ts'],
  ['edge-imports-no-package-but-service-contract-core', 'packages/edge/src/a.ts', '@slotwire/network'],
  ['edge-imports-no-package-but-service-contract-core', 'packages/edge/src/inner/b.ts', '@slotwire/storage'],
  ['network-imports-no-package-but-edge-contract-service-core-storage', 'packages/network/src/a.ts', '@slotwire/driver'],
  ['network-imports-no-package-but-edge-contract-service-core-storage', 'packages/network/src/inner/b.ts', '@slotwire/twin'],
  ['events-imports-no-package-but-service-contract-driver-core-storage', 'packages/events/src/a.ts', '@slotwire/network'],
  ['events-imports-no-package-but-service-contract-driver-core-storage', 'packages/events/src/inner/b.ts', '@slotwire/twin'],
  ['scenario-imports-no-package-but-contract-twin-core-storage', 'packages/scenario/src/a.ts', '@slotwire/service'],
  ['scenario-imports-no-package-but-contract-twin-core-storage', 'packages/scenario/src/inner/b.ts', '@slotwire/driver'],
  ['bench-api-imports-no-package-but-contract-service-scenario-twin-core', 'packages/bench-api/src/a.ts', '@slotwire/driver'],
  [
    'bench-api-imports-no-package-but-contract-service-scenario-twin-core',
    'packages/bench-api/src/inner/b.ts',
    '@slotwire/network',
  ],
  ['packages-import-no-module', 'packages/service/src/c.ts', '@slotwire/modules/contracts'],
  ['packages-import-no-module', 'packages/twin/src/b.ts', '../../../modules/io/limits.ts'],
  ['device-imports-modules-by-their-indexes', 'packages/device/src/a.ts', '@slotwire/modules/io/limits'],
  ['device-imports-no-package-but-edge-events-service-driver-twin-core', 'packages/device/src/b.ts', '@slotwire/network'],
  ['apps-import-modules-by-their-indexes', 'apps/cli/src/a.ts', '@slotwire/modules/io/wire'],
  ['apps-are-not-imported', 'packages/service/src/d.ts', '../../../apps/cli/src/main.ts'],
  ['apps-are-not-imported', 'modules/io/whole.test.ts', '../../apps/cli/src/main.ts'],
  ['apps-are-not-imported', 'tests/whole.testkit.ts', '../apps/cli/src/main.ts'],
  ['apps-import-no-other-app', 'apps/console/src/a.ts', '../../cli/src/main.ts'],
  ['apps-import-no-other-app', 'apps/cli/src/c.ts', '../../console/src/main.tsx'],
  ['console-uses-the-client', 'apps/console/src/store/a.ts', '@slotwire/service'],
  ['modules-never-import-each-other', 'modules/io/circuit-a.ts', '../bmc/limits.ts'],
  ['modules-never-import-each-other', 'modules/io/circuit-b.ts', '../contracts.ts'],
  ['limits-imports-no-side-but-none', 'modules/io/limits-a.ts', './wire.ts'],
  ['limits-imports-no-engine-but-none', 'modules/io/limits-b.ts', '@slotwire/core'],
  ['contract-imports-no-side-but-limits', 'modules/io/contract-a.ts', './wire.ts'],
  ['contract-imports-no-side-but-limits', 'modules/io/rules.ts', './firmware.ts'],
  ['contract-imports-no-engine-but-contract-core', 'modules/io/contract-b.ts', '@slotwire/driver'],
  ['wire-imports-no-side-but-limits', 'modules/io/wire-a.ts', './contract.ts'],
  ['wire-imports-no-engine-but-sdbp-core', 'modules/io/wire-b.ts', '@slotwire/driver'],
  ['service-imports-no-side-but-wire-contract-limits', 'modules/io/service-a.ts', './firmware.ts'],
  ['service-imports-no-engine-but-contract-service-driver-core-sdbp', 'modules/io/service-b.ts', '@slotwire/twin'],
  ['service-imports-no-engine-but-contract-service-driver-core-sdbp', 'modules/io/budget.ts', '@slotwire/twin'],
  ['service-imports-no-side-but-wire-contract-limits', 'modules/io/usb-devices.ts', './circuit.ts'],
  ['firmware-imports-no-side-but-wire-limits', 'modules/io/circuit-c.ts', './contract.ts'],
  ['firmware-imports-no-side-but-wire-limits', 'modules/io/firmware-a.ts', './service.ts'],
  ['firmware-imports-no-engine-but-twin-core-sdbp', 'modules/io/firmware-b.ts', '@slotwire/driver'],
  ['host-imports-no-side-but-wire-contract-limits', 'modules/io/host-a.ts', './service.ts'],
  ['host-imports-no-engine-but-contract-driver-core', 'modules/io/host-b.ts', '@slotwire/service'],
  ['client-imports-no-side-but-contract-limits', 'modules/io/client-a.ts', './wire.ts'],
  ['client-imports-no-engine-but-client-contract-core', 'modules/io/client-b.ts', '@slotwire/service'],
  ['index-of-contracts-imports-nothing-else', 'modules/contracts.ts', './bmc/service.ts'],
  ['index-of-services-imports-nothing-else', 'modules/services.ts', './bmc/firmware.ts'],
  ['index-of-firmwares-imports-nothing-else', 'modules/firmwares.ts', './bmc/contract.ts'],
  ['index-of-clients-imports-nothing-else', 'modules/clients.ts', './bmc/contract.ts'],
  ['index-of-hosts-imports-nothing-else', 'modules/hosts.ts', './bmc/wire.ts'],
  ['index-of-readings-imports-nothing-else', 'modules/readings.ts', './bmc/wire.ts'],
  ['index-of-controls-imports-nothing-else', 'modules/controls.ts', './bmc/wire.ts'],
  ['browser-safe', 'packages/core/src/b.ts', 'node:fs'],
  ['browser-safe', 'packages/contract/src/b.ts', 'path'],
  ['browser-safe', 'packages/client/src/b.ts', 'node:https'],
  ['browser-safe', 'modules/io/contract-c.ts', 'node:net'],
  ['browser-safe', 'apps/console/src/c.tsx', 'node:net'],
  ['code-imports-no-test', 'packages/twin/src/c.ts', './board.testkit.ts'],
  ['through-the-front-door', 'packages/driver/src/b.ts', '../../sdbp/src/inner.ts'],
  ['through-the-front-door', 'modules/io/firmware-c.ts', '../../packages/twin/src/inner.ts'],
  ['no-circles', 'packages/core/src/c.ts', './d.ts'],
  ['everything-resolves', 'packages/core/src/e.ts', './not-there.ts'],
]

/** Imports that must stay allowed: those of each side of a module, and of tests. */
const allowed: readonly (readonly [file: string, target: string])[] = [
  ['apps/console/src/main.tsx', '@slotwire/client'],
  ['packages/driver/src/slot.ts', '@slotwire/sdbp'],
  ['packages/service/src/app.ts', '@slotwire/driver'],
  ['packages/service/src/app.test.ts', '@slotwire/twin'],
  ['packages/service/src/whole.test.ts', '@slotwire/modules/contracts'],
  ['packages/device/src/c.ts', '@slotwire/modules/contracts'],
  ['packages/twin/src/board.testkit.ts', '@slotwire/driver'],
  ['modules/bmc/contract.ts', './limits.ts'],
  ['modules/bmc/wire.ts', '@slotwire/sdbp'],
  ['modules/bmc/service.ts', './wire.ts'],
  ['modules/bmc/firmware.ts', '@slotwire/twin'],
  ['modules/bmc/firmware-fan.ts', './wire.ts'],
  ['modules/bmc/budget.ts', '@slotwire/driver'],
  ['modules/bmc/host.ts', './contract.ts'],
  ['modules/bmc/service.test.ts', './firmware.ts'],
  ['apps/cli/src/main.ts', '@slotwire/modules/hosts'],
  ['apps/cli/src/main.test.ts', '@slotwire/modules/io/wire'],
]

/** The other half of the circular import, which is reported once. */
const circle = ['packages/core/src/d.ts', './c.ts'] as const

/** Files that other files import. The tables add more. */
const present = [
  ...ENGINE.flatMap((name) => [`packages/${name}/src/index.ts`, `packages/${name}/src/inner.ts`]),
  ...['io', 'bmc'].flatMap((name) =>
    ['limits', 'contract', 'wire', 'service', 'firmware', 'circuit'].map((side) => `modules/${name}/${side}.ts`),
  ),
]

interface Violation {
  readonly rule: { readonly name: string }
  readonly from: string
}

describe('the import rules', () => {
  const repository = temporaryFolder()
  let violations: readonly Violation[] = []

  beforeAll(() => {
    buildRepository(repository)
    const program = inRoot('tools', 'guards', 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs')
    const options = ['--config', inRoot('tools', 'guards', 'dependency-cruiser.cjs'), '--output-type', 'json']
    const result = spawnSync(process.execPath, [program, ...options, 'packages', 'modules', 'apps', 'tests'], {
      cwd: repository,
      encoding: 'utf8',
    })
    violations = (JSON.parse(result.stdout) as { summary: { violations: readonly Violation[] } }).summary.violations
  }, 60_000)

  it.each(forbidden)('%s forbids %s to import %s', (rule, file) =>
    expect(violations.filter((violation) => violation.from === file).map((violation) => violation.rule.name)).toContain(rule),
  )

  it.each(allowed)('allow %s to import %s', (file) =>
    expect(violations.filter((violation) => violation.from === file)).toEqual([]),
  )

  it('have an example for each rule', async () => {
    const { default: config } = (await import('./guards/dependency-cruiser.cjs')) as {
      default: { forbidden: readonly { name: string }[] }
    }
    expect(config.forbidden.map(({ name }) => name).sort()).toEqual([...new Set(forbidden.map(([rule]) => rule))].sort())
  })
})

/** Creates a repository like this one, in which files contain only imports. */
function buildRepository(repository: string): void {
  for (const name of ENGINE) workspace(repository, `packages/${name}`, name, { '.': './src/index.ts' })
  workspace(repository, 'modules', 'modules', { './*': './*.ts' })
  const files = new Map<string, string>(present.map((file) => [file, 'export {}\n']))
  for (const [file, target] of [...forbidden.map(([, from, to]) => [from, to] as const), ...allowed, circle]) {
    files.set(file, `${files.get(file) ?? ''}import '${target}'\n`)
  }
  for (const [file, text] of files) {
    mkdirSync(join(repository, dirname(file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
}

function workspace(repository: string, folder: string, name: string, exports: object): void {
  mkdirSync(join(repository, folder), { recursive: true })
  mkdirSync(join(repository, 'node_modules', '@slotwire'), { recursive: true })
  writeFileSync(join(repository, folder, 'package.json'), JSON.stringify({ name: `@slotwire/${name}`, type: 'module', exports }))
  symlinkSync(join(repository, folder), join(repository, 'node_modules', '@slotwire', name))
}
