import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'

export const FOLDER = 'examples/scenarios'

/** The example scenarios, relative to the repository. */
export const files = readdirSync(inRoot(FOLDER)).map((name) => `${FOLDER}/${name}`)

/** What `slotwire scenario run` says of scenarios that pass. */
export function runScenarios(options: string): string {
  const command = `npx --no-install slotwire scenario run ${options}`
  const { stdout, status } = spawnSync('sh', ['-c', command], { cwd: inRoot(), encoding: 'utf8' })
  expect(status).toBe(0)
  return stdout
}
