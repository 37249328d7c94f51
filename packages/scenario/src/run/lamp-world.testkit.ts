import { boolean, type Contract, objectOf, reads } from '@slotwire/contract'
import { toyBench } from '../../../twin/src/bench/bench.testkit.ts'
import type { ModuleCatalog } from '../catalog.ts'
import { parseScenario } from '../parse-scenario.ts'
import { specified } from '../specified.testkit.ts'
import type { WorldAnswer } from '../world.ts'
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
      reply: objectOf({ too_hot: boolean({ description: 'hot' }), burnt_out: boolean({ description: 'it is dark' }) }),
      effect: 'deliver',
      summary: 'Hands out alerts',
      spec: 'none',
    },
  },
} as const satisfies Contract

/** Bench of the lamp from the twin's tests, in slot 2; the catalog also has the specified module types. */
export function lampWorld() {
  const toy = toyBench()
  const all: ModuleCatalog = { ...specified, lamp: { firmware: toy.definition, contract: lampContract } }
  return { ...toy, catalog: all }
}

/** Runs steps on the bench of a lamp whose service gives these answers. Returns the failures and the requested paths. */
export async function runAtLamp(steps: string, answers: Readonly<Record<string, unknown>> = {}) {
  const { clock, bench, catalog: types } = lampWorld()
  const asked: string[] = []
  const request = ({ path }: { readonly path: string }): Promise<WorldAnswer> => {
    asked.push(path)
    return Promise.resolve({ status: path in answers ? 200 : 404, headers: {}, body: answers[path] })
  }
  const refuse = () => Promise.reject(new Error('there is no service'))
  const world = { clock, bench, request, killService: refuse, startService: refuse }
  const scenario = parseScenario(`steps:\n${steps}`, { catalog: types })
  const result = await runScenario(scenario, world, { pacer: asFastAsPossible(clock) })
  return { failures: failuresOf(result), asked, bench }
}
