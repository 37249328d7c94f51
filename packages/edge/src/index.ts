export { type AccessOptions, identifiedLoopbackAccess, networkAccess } from './access/access.ts'
export { FailedLogins } from './access/failed-logins.ts'
export { type LoopbackAccessOptions, loopbackAccess } from './access/loopback-access.ts'
export type { OpenPaths, OpenResources } from './access/open-resources.ts'
export type { ProxyNames } from './access/page-guard.ts'
export type { Proof, Token, Tokens } from './access/token.ts'
export { canonicalAddress, isLoopbackAddress, networkOf, plainAddress } from './door/address.ts'
export type {
  AccessDecision,
  CheckAccess,
  Forward,
  ListenerPolicy,
  OpenDoor,
  PresentedCertificate,
} from './door/listener-policy.ts'
export { TLS_1_2_CIPHERS } from './door/tls-rules.ts'
export { Forwarder, type ForwarderOptions } from './forward/forwarder.ts'
export { type Listen, type ListenAddress, listen } from './listen.ts'
