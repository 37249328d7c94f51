import { shown } from '@slotwire/core'
import type { Entry, MapTree } from '@slotwire/storage'
import { didYouMean } from '../read/field.ts'
import type { Reading } from '../read/reading.ts'
import type { Action, StepKind } from '../steps/step-kind.ts'
import { waitFields } from './expectation.ts'
import { expectationKinds } from './kinds.ts'

const NAMES = expectationKinds.map(({ name }) => name)
const EXAMPLE = {
  expect: '{ notification: 3/2, high_current_alert: true }',
  wait: '{ pin: 3/1, volts: 4.., within: 2s }',
} as const

export const expectStep: StepKind = {
  name: 'expect',
  summary: 'Checks an expectation; a list checks several.',
  fields: {},
  read: (entry, reading) => readExpectation(entry, reading, 'expect'),
}

export const waitStep: StepKind = {
  name: 'wait',
  summary: 'Waits until an expectation holds, at most until a deadline. If it does not hold by then, the scenario ends.',
  fields: waitFields,
  read: (entry, reading) => {
    const { value } = entry
    if (value.kind === 'text') {
      const time = shown(value.text)
      return reading.fail(value, `wait is ${time}: write after: ${time} in the step that follows, or wait: ${EXAMPLE.wait}`)
    }
    return readExpectation(entry, reading, 'wait')
  },
}

function readExpectation({ value }: Entry, reading: Reading, step: 'expect' | 'wait'): Action | undefined {
  const map = reading.map(value, step, `what is expected, as in ${EXAMPLE[step]}`)
  const kind = map && expectationKinds.find(({ name }) => map.entries.some(({ key }) => key === name))
  if (map !== undefined && kind === undefined) return noKind(map, reading, step)
  return map && kind?.read(map, reading, step)
}

function noKind(map: MapTree, reading: Reading, step: 'expect' | 'wait'): undefined {
  const [first] = map.entries
  const names = NAMES.join(', ')
  if (first === undefined) return reading.fail(map, `${step} is empty: write one of ${names}, as in ${EXAMPLE[step]}`)
  const meant = didYouMean(first.key, NAMES)
  return reading.fail(first.keySpan, `${step} has no subject: ${shown(first.key)} is not one of ${names}${meant}`)
}
