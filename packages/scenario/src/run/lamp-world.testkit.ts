import { boolean, type Contract, objectOf, reads } from '@slotwire/contract'
import { toyBench } from '../../../twin/src/bench/bench.testkit.ts'
import type { ModuleCatalog } from '../catalog.ts'
import { parseScenario } from '../parse-scenario.ts'
import { specified } from '../specified.testkit.ts'
import type { WorldAnswer, WorldRecord } from '../world.ts'
import { asFastAsPossible } from './pacer.ts'
import { runScenario } from './run-scenario.ts'
import { failuresOf } from './running.testkit.ts'

export const lampContract = {
  service: 'lamp',
  serviceName: 'lamp-module',
  title: 'Lamp',
  description: 'A lamp.',
  port: 8009,
  defaultSlots: [2],
  endpoints: {
    getAlerts: {
      ...reads,
      path: '/socket/{socket}/alerts',
      parameters: { socket: { description: 'number of the socket', min: 1, max: 6, example: 1 } },
      reply: objectOf({
        too_hot: boolean({ description: 'the lamp is too hot' }),
        burnt_out: boolean({ description: 'the lamp is burnt out' }),
      }),
      effect: 'deliver',
      summary: 'Returns the alerts',
      spec: 'none',
    },
  },
} as const satisfies Contract

/** A bench with the toy lamp of the twin's tests in slot 2. The catalog also has the module types of the specification. */
export function lampWorld() {
  const toy = toyBench()
  const catalog: ModuleCatalog = { ...specified, lamp: { firmware: toy.definition, contract: lampContract } }
  return { ...toy, catalog }
}

/**
 * Runs steps on a bench with a lamp. `answers` maps a path to the body of its answer; other paths give 404. `records` are in its journal. Returns
 * failures and requested paths.
 */
export async function runAtLamp(
  steps: string,
  answers: Readonly<Record<string, unknown>> = {},
  records: readonly WorldRecord[] = [],
) {
  const { clock, bench, catalog } = lampWorld()
  const paths: string[] = []
  const request = ({ path }: { readonly path: string }): Promise<WorldAnswer> => {
    paths.push(path)
    return Promise.resolve({ status: path in answers ? 200 : 404, headers: {}, body: answers[path] })
  }
  const refuse = () => Promise.reject(new Error('there is no service'))
  const journal = { last: { boot: 1, sequence: 0 }, read: () => ({ records }) }
  const world = { clock, bench, journal, request, killService: refuse, startService: refuse }
  const scenario = parseScenario(`steps:\n${steps}`, { catalog })
  const result = await runScenario(scenario, world, { pacer: asFastAsPossible(clock) })
  return { failures: failuresOf(result), paths, bench }
}
