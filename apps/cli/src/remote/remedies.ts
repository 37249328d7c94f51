import type { Remedies } from '@slotwire/client'

const UNTRUSTED = 'trust its authority with --ca <file>, or save it with slotwire context add <name> <url> --trust'

/** What a user of the command line does about an error, by its name in docs/errors.md or of the system. */
export const remedies: Remedies = {
  ECONNREFUSED: 'start one with slotwire serve --hardware twin, or give its address with --url (default: http://127.0.0.1:8080)',
  ENOTFOUND: 'check the name in --url or in the context; slotwire discover lists the devices of the network',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  'credentials-required': 'give the file of a token with --token-file; slotwire token create makes one',
  'slot-not-usable': 'slotwire devices lists the usable ones',
  'session-changed': 'set up the module again',
  leased: 'give the secret of the lease with --lease <file>, or wait',
  'lease-expired': 'check the modules, and get a new lease with slotwire lease take',
  'lease-secret-missing': 'give it with --lease <file>',
  'lease-slot-empty': 'slotwire devices lists the modules; if each service has a process, give the address of that one',
  'pin-not-analog': 'use slotwire mode <pin> analog first',
  'pin-not-digital': 'use slotwire mode <pin> digital first',
  'power-configuration-missing': 'repeat the command with --power, as in --power 5V/50mA',
  'power-module-not-usable': 'try again when slotwire devices lists it',
  'watchdog-off': 'start it with slotwire bmc set-watchdog --timeout <time>',
  'usb-port-not-available': 'slotwire bmc usb-hub shows which ports are',
  'usb-hub-not-available': 'slotwire bmc usb-hub shows its state',
  'emergency-mode': 'slotwire bmc watchdog shows when it is over',
  'limits-refused': 'slotwire power stats shows the limits in force',
  'fan-refused': 'slotwire power fan shows the one in force',
  'fan-measurement-refused': 'slotwire power fan-rpm shows its state',
}
