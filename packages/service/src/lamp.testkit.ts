import { choice, type Extension, integer, objectOf, reads, writes } from '@slotwire/contract'
import { defineErrors } from '@slotwire/core'
import { extensionHandlers, type ServedExtension } from './pipeline/extension.ts'

const lamp = { description: 'number of the lamp', min: 1, max: 3, example: 2 }
const success = { status: 'success' } as const
const beyondApi = { spec: 'an extension of the project' } as const

export const lampErrors = defineErrors(
  {
    broken: { status: 400, message: 'lamp {lamp} is broken: replace it' },
  },
  'lamp-',
)

export const lampEndpoints = {
  getLamp: {
    ...reads,
    ...beyondApi,
    path: '/slotwire/lamps/{lamp}',
    parameters: { lamp },
    reply: objectOf({ lamp: integer(), percent: integer() }),
    summary: 'How bright it is',
  },
  setLamp: {
    ...writes,
    ...beyondApi,
    path: '/slotwire/lamps/{lamp}',
    parameters: { lamp },
    body: objectOf({ percent: integer({ min: 0, max: 100, unit: '%' }) }),
    errors: [lampErrors.broken],
    summary: 'Sets how bright it is',
    example: { percent: 50 },
  },
  blink: {
    ...writes,
    ...beyondApi,
    path: '/slotwire/lamps/all/blink',
    body: objectOf({ pattern: choice(['slow', 'fast']) }, { optional: ['pattern'] }),
    summary: 'Lets them blink',
    example: { pattern: 'fast' },
  },
  replace: { ...writes, ...beyondApi, path: '/slotwire/lamps/all/replace', summary: 'Replaces what is broken' },
} as const satisfies Extension['endpoints']

/** Three test lamps outside the API; the third is broken. */
export class Lamps {
  readonly percents = [0, 0, 0]
  readonly received: unknown[] = []
  closed = 0
  /** `replace` waits for this. */
  gate: Promise<void> = Promise.resolve()

  readonly extension: ServedExtension = {
    contract: { name: 'lamps', description: 'Lamps around the device.', endpoints: lampEndpoints },
    handlers: extensionHandlers(lampEndpoints, {
      getLamp: ({ parameters }) => ({ lamp: parameters.lamp, percent: this.percents[parameters.lamp - 1] ?? 0 }),
      setLamp: ({ body, parameters }) => {
        if (parameters.lamp === 3) throw lampErrors.broken({ lamp: 3 })
        this.percents[parameters.lamp - 1] = body.percent
        return success
      },
      blink: ({ body }) => {
        this.received.push(body)
        return success
      },
      replace: async ({ body }) => {
        this.received.push(body)
        await this.gate
        return success
      },
    }),
    close: () => this.closed++,
  }
}
