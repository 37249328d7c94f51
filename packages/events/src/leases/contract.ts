import {
  boolean,
  choice,
  type Extension,
  extensionPaths,
  integer,
  listOf,
  named,
  objectOf,
  reads,
  text,
  unsigned,
  writes,
} from '@slotwire/contract'
import { coreErrors, defineErrors, isVisible } from '@slotwire/core'
import { MAX_SLOT } from '../query.ts'

/** Errors of the endpoints of leases; those of a leased slot are in `coreErrors`. */
export const leaseErrors = defineErrors(
  {
    secretMissing: { status: 400, message: 'the secret of lease {number} is missing: send it in the header Slotwire-Lease' },
    slotNotGranted: {
      status: 403,
      message: 'this access token may not use the module in slot {slot}: use a token for its service',
    },
    slotEmpty: {
      status: 404,
      message: 'slot {slot} holds no usable module of this process: the root of each service lists them',
      retryable: true,
    },
  },
  'lease-',
)

const spec = 'an extension of the project'
const MAX_HOLDER_CHARACTERS = 64
const ttl = { min: 5, max: 3600, unit: 's', description: 'how long the lease holds unless it is renewed' } as const
const number = unsigned({ description: 'number of the lease' })
const slots = listOf(integer({ min: 0, max: MAX_SLOT }), { description: 'slots whose writes need the secret' })
const onLapse = choice(['keep', 'safe'], {
  description: 'when the lease expires or its token is revoked: `keep` the state, or apply the `safe` state of the module type',
})
const expiresAt = text({ description: 'RFC 3339; by the date of the device' })
const at = {
  path: `${extensionPaths.leases}/{number}`,
  parameters: { number: { description: 'number of the lease', min: 1, max: Number.MAX_SAFE_INTEGER, example: 1 } },
  headers: { 'Slotwire-Lease': 'the secret of the lease' },
} as const

function grantProblem(body: { slots?: readonly number[]; holder?: string }): string | undefined {
  const { slots: requested = [], holder = '' } = body
  if (requested.length === 0 || new Set(requested).size < requested.length) return 'slots must name at least one slot, each once'
  if (holder.trim() === '' || !isVisible(holder)) return `holder must be 1…${MAX_HOLDER_CHARACTERS} printable characters`
  return undefined
}

export const leaseEndpoints = {
  listLeases: {
    ...reads,
    path: extensionPaths.leases,
    reply: named(
      'Leases',
      objectOf({
        leases: listOf(
          named(
            'Lease',
            objectOf(
              {
                number,
                slots,
                holder: text({ description: 'as the client named itself' }),
                token: text({ description: 'name of the access token; missing at the loopback door' }),
                on_lapse: onLapse,
                expires_at: expiresAt,
                seconds_left: unsigned(),
              },
              { optional: ['token'] },
            ),
          ),
        ),
      }),
    ),
    summary: 'Lists the leases of the modules that the caller may use',
    spec,
  },
  grantLease: {
    ...writes,
    path: extensionPaths.leases,
    body: named(
      'LeaseRequest',
      objectOf(
        {
          slots,
          holder: text({
            max: MAX_HOLDER_CHARACTERS,
            description: `who writes: 1…${MAX_HOLDER_CHARACTERS} printable characters`,
          }),
          ttl_seconds: integer(ttl),
          on_lapse: onLapse,
          force: boolean({ description: 'true: takes over slots that are leased already' }),
        },
        { optional: ['force'] },
      ),
    ),
    check: grantProblem,
    reply: named(
      'LeaseGrant',
      objectOf({
        number,
        secret: text({ description: 'for the header Slotwire-Lease; shown only here' }),
        expires_at: expiresAt,
      }),
    ),
    summary: 'Makes the caller the only writer of some slots',
    description:
      'Waits for writes that run in these slots. The lease holds for its slots, even if their modules leave or restart.',
    errors: [
      coreErrors.leased,
      coreErrors.leaseExpired,
      coreErrors.deviceRestarting,
      coreErrors.starting,
      leaseErrors.slotEmpty,
      leaseErrors.slotNotGranted,
    ],
    spec,
    example: { slots: [5], holder: 'line 3', ttl_seconds: 60, on_lapse: 'safe' },
  },
  renewLease: {
    ...writes,
    ...at,
    method: 'PUT',
    body: named('LeaseRenewal', objectOf({ ttl_seconds: integer(ttl) }, { optional: ['ttl_seconds'] })),
    reply: named('LeaseRenewed', objectOf({ number, expires_at: expiresAt })),
    summary: 'Renews a lease, for its former time or another',
    errors: [coreErrors.leaseExpired, leaseErrors.secretMissing],
    spec,
    example: { ttl_seconds: 60 },
  },
  giveBackLease: {
    ...writes,
    ...at,
    method: 'DELETE',
    summary: 'Gives a lease back; the modules keep their state',
    errors: [coreErrors.leaseExpired, leaseErrors.secretMissing],
    spec,
  },
  switchOff: {
    ...writes,
    path: extensionPaths.off,
    body: named(
      'OffRequest',
      objectOf(
        { force: boolean({ description: 'true: also in slots that others leased, whose leases end there' }) },
        { optional: ['force'] },
      ),
    ),
    reply: named(
      'Off',
      objectOf({
        modules: listOf(
          named(
            'OffModule',
            objectOf(
              {
                slot: unsigned(),
                service: text(),
                result: choice(['off', 'leased', 'silent'], {
                  description:
                    '`off`: in its initial state; `leased`: left alone, another client leased the slot; `silent`: it does not answer, and is no longer used',
                }),
                holder: text({ description: 'who leased the slot' }),
              },
              { optional: ['holder'] },
            ),
          ),
        ),
      }),
    ),
    summary: 'Switches off: resets all io modules at once, ahead of all waiting requests',
    description:
      'Slots of your own leases need their secrets in Slotwire-Lease. A module that does not obey within 150 ms gets no more heartbeats, and falls to its initial state a second later.',
    errors: [coreErrors.serviceNotGranted, coreErrors.deviceRestarting, coreErrors.starting],
    spec,
    example: { force: true },
  },
} as const satisfies Extension['endpoints']

/** One writer for a slot, at `/slotwire/leases`. */
export const leaseContract = {
  name: 'leases',
  description: 'Leases: who may write to which slots. Writes to a leased slot need the secret of its lease.',
  endpoints: leaseEndpoints,
} as const satisfies Extension
