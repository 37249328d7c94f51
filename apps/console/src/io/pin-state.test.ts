import { expect, it } from 'vitest'
import { modesIn, pinNumbers } from './pin-state.ts'

it('an io module has the pins of the contract', () => expect(pinNumbers).toEqual([1, 2, 3, 4, 5, 6]))

it.each([
  [
    {
      pins: [
        { pin: 1, mode: 'pwm' },
        { pin: 2, mode: 'unknown' },
      ],
    },
    [
      [1, 'pwm'],
      [2, 'unknown'],
    ],
  ],
  [{ pins: [{ pin: 1, mode: '<img onerror>' }] }, [[1, 'unknown']]],
  [{ pins: 'unknown' }, []],
  [{}, []],
])('the modes in %j', (state, expected) => expect([...modesIn(state)]).toEqual(expected))
