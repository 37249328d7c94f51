import { defineErrors } from '@slotwire/core'

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
