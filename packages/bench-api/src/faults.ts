import {
  anyObject,
  decimal,
  type Endpoint,
  type ExtensionEndpoints,
  integer,
  listOf,
  literal,
  named,
  objectOf,
  text,
} from '@slotwire/contract'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import {
  type ActiveFault,
  FAULT_DURATION_MS,
  faultFrom,
  faultKinds,
  inSnakeNames,
  snakeName,
  withSnakeNames,
} from '@slotwire/twin'
import { atNumber, atSlot, benchRead, benchWrite, type DeviceWithBench, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { rounded } from './figures.ts'
import { withCodeNames } from './json-names.ts'
import { refusedAsField, refusedAsState } from './refusals.ts'
import { doneSchema, injectedSchema } from './replies.ts'
import { numberSchema, settingsSchema } from './settings-schema.ts'

type FaultName = keyof typeof faultKinds

/** A working body for each kind, for docs and the interactive API reference. */
const examples: Readonly<Record<FaultName, Readonly<Record<string, unknown>>>> = {
  bootloader: { for_ms: 10_000 },
  corruptStorage: {},
  crcErrors: { share: 0.3, for_ms: 10_000 },
  duplicatedFrames: { share: 0.1, for_ms: 10_000 },
  endlessWait: { wait_ms: 100, for_ms: 10_000 },
  fullStorage: { for_ms: 10_000 },
  garbage: { share: 0.2, for_ms: 10_000 },
  hang: { for_ms: 10_000 },
  lateFrames: { delay_ms: 20, share: 0.5, for_ms: 10_000 },
  lostFrames: { share: 0.1, for_ms: 10_000 },
  memoryLoss: {},
  reboot: {},
  wrongClass: { share: 0.2, for_ms: 10_000 },
}

/** Duration of a fault, as a field of its body. */
export const forMs = numberSchema(FAULT_DURATION_MS)

/** A fault in replies. */
export const faultSchema = named(
  'Fault',
  objectOf(
    {
      fault: integer({ description: 'number of the fault' }),
      slot: integer(),
      kind: text({ description: 'kind as in the path of its endpoint, or name of a defect' }),
      description: text(),
      settings: anyObject(),
      since_ms: decimal({ unit: 'ms', description: 'twin time of its beginning' }),
      until_ms: decimal({
        unit: 'ms',
        description: 'twin time of its end; missing if only clearing ends it',
      }),
    },
    { optional: ['until_ms'] },
  ),
)

const clearedSchema = named('Cleared', doneSchema({ cleared: integer({ description: 'number of ended faults' }) }))
const names = Object.keys(faultKinds) as FaultName[]

/** Name of the endpoint that injects a kind of fault: `injectCrcErrors`. */
const endpointName = (name: FaultName): string => `inject${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

function faultEndpoint(name: FaultName): Endpoint {
  const { kind, summary, fields, lasts } = faultKinds[name]
  const takesSome = lasts || Object.keys(fields).length > 0
  return {
    ...benchWrite,
    path: `${ROOT}/slot/{slot}/fault/${snakeName(kind)}`,
    parameters: atSlot(3),
    ...(takesSome ? { body: settingsSchema(fields, lasts ? { for_ms: forMs } : {}), example: examples[name] } : {}),
    ...(lasts ? { reply: injectedSchema } : {}),
    errors: [benchErrors.refused],
    summary: `Fault: ${summary}`,
  }
}

const kindEndpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  names.map((name) => [endpointName(name), faultEndpoint(name)]),
)

const otherEndpoints = {
  getFaults: {
    ...benchRead,
    path: `${ROOT}/faults`,
    reply: objectOf({ faults: listOf(faultSchema) }),
    summary: 'Lists active faults, in the order of injection',
  },
  clearFaults: {
    ...benchWrite,
    path: `${ROOT}/faults/clear`,
    reply: clearedSchema,
    summary: 'Ends all faults',
  },
  clearFaultsOfSlot: {
    ...benchWrite,
    path: `${ROOT}/slot/{slot}/faults/clear`,
    parameters: atSlot(3),
    reply: clearedSchema,
    summary: 'Ends the faults of one slot',
  },
  clearFault: {
    ...benchWrite,
    path: `${ROOT}/fault/{number}/clear`,
    parameters: atNumber('fault', 1),
    reply: objectOf({ status: literal('success') }),
    errors: [benchErrors.noSuchFault],
    summary: 'Ends one fault',
  },
} as const satisfies ExtensionEndpoints

export const faultEndpoints: ExtensionEndpoints = { ...otherEndpoints, ...kindEndpoints }

export function faultHandlers(device: DeviceWithBench): CheckedExtensionHandlers {
  const injecting: CheckedExtensionHandlers = Object.fromEntries(
    names.map((name) => [
      endpointName(name),
      ({ body, parameters: { slot = 0 } }) => {
        const { forMs: lasting, ...settings } = withCodeNames(body as object)
        const fault = refusedAsField(() => faultFrom(faultKinds[name].kind, settings))
        const options = typeof lasting === 'number' ? { forMs: lasting } : {}
        const active = refusedAsState(() => device.bench.slot(slot).inject(fault, options))
        return { ...success, ...(active === undefined ? {} : { fault: active.id }) }
      },
    ]),
  )
  return {
    ...injecting,
    ...extensionHandlers(otherEndpoints, {
      getFaults: () => ({ faults: device.bench.faults.map(shownFault) }),
      clearFaults: () => ({ ...success, cleared: device.bench.clearFaults() }),
      clearFaultsOfSlot: ({ parameters: { slot } }) => ({ ...success, cleared: device.bench.clearFaults(slot) }),
      clearFault: ({ parameters: { number } }) => {
        const found = device.bench.faults.find(({ id }) => id === number)
        if (found === undefined) throw benchErrors.noSuchFault({ number })
        found.clear()
        return success
      },
    }),
  }
}

export function shownFault({ id, slot, kind, description, settings, sinceMs, untilMs }: ActiveFault) {
  return {
    fault: id,
    slot,
    kind: snakeName(kind),
    description: inSnakeNames(description),
    settings: withSnakeNames(settings) as object,
    since_ms: rounded(sinceMs),
    ...(untilMs === undefined ? {} : { until_ms: rounded(untilMs) }),
  }
}
