export {
  type AccessOptions,
  identifiedLoopbackAccess,
  type LoopbackAccessOptions,
  loopbackAccess,
  networkAccess,
} from './access/access.ts'
export type { Token, Tokens } from './access/callers.ts'
export { FailedLogins } from './access/failed-logins.ts'
export type { OpenPaths, OpenResources } from './access/open-resources.ts'
export type { ProxyNames } from './access/page-guard.ts'
export { canonicalAddress, isLoopbackAddress, networkOf, plainAddress } from './door/address.ts'
export { type Listen, type ListenAddress, listen } from './door/door.ts'
export { TLS_1_2_CIPHERS } from './door/door-server.ts'
export type { AccessDecision, CheckAccess, ListenerPolicy, OpenDoor, ServerCertificate } from './door/listener-policy.ts'
