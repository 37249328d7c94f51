import { shown } from '@slotwire/core'
import type { MapTree } from '@slotwire/storage'
import { didYouMean } from '../read/field.ts'
import type { Reading } from '../read/reading.ts'
import type { StepKind } from '../steps/step-kind.ts'
import { expectationKinds } from './kinds.ts'

const NAMES = expectationKinds.map(({ name }) => name)
const EXAMPLE = '{ notification: 3/2, high_current_alert: true }'

export const expectStep: StepKind = {
  name: 'expect',
  summary: 'Checks an expectation; a list checks several.',
  fields: {},
  read: (entry, reading) => {
    const map = reading.map(entry.value, 'expect', `what is expected, as in ${EXAMPLE}`)
    const kind = map && expectationKinds.find(({ name }) => map.entries.some(({ key }) => key === name))
    if (map !== undefined && kind === undefined) return noKind(map, reading)
    return map && kind?.read(map, reading)
  },
}

function noKind(map: MapTree, reading: Reading): undefined {
  const [first] = map.entries
  const names = NAMES.join(', ')
  if (first === undefined) return reading.fail(map, `expect is empty: write one of ${names}, as in ${EXAMPLE}`)
  const meant = didYouMean(first.key, NAMES)
  return reading.fail(first.keySpan, `expect has no subject: ${shown(first.key)} is not one of ${names}${meant}`)
}
