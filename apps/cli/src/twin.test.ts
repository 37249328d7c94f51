import { elementKinds, faultKinds } from '@slotwire/twin'
import { expect, it } from 'vitest'
import * as exported from './twin.ts'

it('exports every element and every fault', () =>
  expect(Object.keys(exported)).toEqual(expect.arrayContaining(Object.keys({ ...elementKinds, ...faultKinds }))))
