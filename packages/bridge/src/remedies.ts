import type { Remedies } from '@slotwire/client'

const STATE_TOPICS = 'the retained topics of this device list the modules that are there'
const LEASE = 'send the secret as lease in the payload'
const IN_API = 'its API shows the state'

/** What the sender of a command over MQTT does about an error of the device, by its name; docs/guide/mqtt.md. */
export const remedies: Remedies = {
  'credentials-required': 'give the bridge a token with --token-file',
  'slot-not-usable': STATE_TOPICS,
  'session-changed': 'set up the module again, and send its new session as if_match',
  leased: `${LEASE}, or wait`,
  'lease-expired': 'check the modules, and take a new lease',
  'lease-secret-missing': LEASE,
  'lease-slot-empty': STATE_TOPICS,
  'pin-not-analog': 'send analog to its topic mode/set first',
  'pin-not-digital': 'send digital to its topic mode/set first',
  'power-configuration-missing': 'send rail and current of all six pins to call/setPowerConfiguration first',
  'power-module-not-usable': 'try again when it has a topic',
  'watchdog-off': 'start it with call/setWatchdog',
  'usb-port-not-available': IN_API,
  'usb-hub-not-available': IN_API,
  'emergency-mode': IN_API,
  'limits-refused': IN_API,
  'fan-refused': IN_API,
  'fan-measurement-refused': IN_API,
}
