import { expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'

it('names the remedy if the folder of the contexts cannot be used', () => {
  const contexts = new Contexts({ environment: { XDG_CONFIG_HOME: '/dev/null' }, home: () => '/' })
  const add = () => contexts.add('lab', { url: 'http://127.0.0.1:1' })
  expect(add).toThrow(UsageError)
  expect(add).toThrow('set XDG_CONFIG_HOME to a folder of yours')
})
