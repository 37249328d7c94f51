import { expect, it } from 'vitest'
import { parseRig } from './parse-scenario.ts'
import { ScenarioError } from './scenario.ts'
import { specified } from './specified.testkit.ts'

const parse = (text: string) => parseRig(text, { file: 'rig.yaml', catalog: specified })

it('a rig has modules and actions, with their fields as over HTTP', () =>
  expect(
    parse('modules: { 2: io }\nsteps:\n  - at: 0s\n    connect: { pin: 2/1, to: { source: 24V, ohms: 10k }, as: s }'),
  ).toEqual({
    device: 'default',
    modules: { 2: 'io' },
    actions: [
      { name: 'connect', values: { pin: '2/1', to: { source: { volts: 24, ohms: 10_000 } }, as: 's' }, at: 'rig.yaml:4' },
    ],
  }))

it.each([
  ['steps: [{ short: 3/1 }, { at: 1s, short: 3/2 }]', 'a rig is there from the start: leave out at and after'],
  ['steps: [{ after: 1ms, short: 3/1 }]', 'a rig is there from the start: leave out at and after'],
  [
    'steps: [{ expect: { pin: 3/1, volts: 0 } }]',
    'expect is no action of the bench: a rig has nothing else, run a scenario for it',
  ],
  ['seed: 2\nsteps: [{ short: 3/1 }]', 'a rig has only name, description, values, device, modules, steps: leave out seed'],
  ['steps: [{ shrt: 3/1 }]', 'there is no step shrt, did you mean short?'],
])('a rig refuses %s', (text, message) => {
  let problems: readonly object[] = []
  try {
    parse(text)
  } catch (error) {
    problems = error instanceof ScenarioError ? error.problems : []
  }
  expect(problems).toEqual([expect.objectContaining({ file: 'rig.yaml', line: 1, message })])
})
