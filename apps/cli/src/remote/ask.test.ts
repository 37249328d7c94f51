import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askOn } from './remote-commands.ts'

/** A terminal on which the user types these characters, or a process that is stopped. */
function asked(typed: string, stopped: Promise<unknown> = new Promise(() => undefined)) {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })]
  const answer = askOn(input, output, () => stopped)('Sure? ')
  input.write(typed)
  return answer
}

it.each([
  ['y\n', true],
  ['YES\n', true],
  ['\n', false],
  ['yellow\n', false],
  ['\x03', false],
  ['\x04', false],
])('takes %j as %s', async (typed, expected) => expect(await asked(typed)).toBe(expected))

it('takes a stop signal as no', async () => expect(await asked('', Promise.resolve())).toBe(false))
