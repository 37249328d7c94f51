import type { Socket } from 'node:net'
import type { Proof } from '../tokens/token-index.ts'

/** What a connection has proved last, and with which `Authorization` header. */
interface RememberedLogin {
  readonly header: string
  readonly proof: Proof
}

/** Kept with the connection itself, and gone with it. */
const REMEMBERED = Symbol('remembered login')

type WithLogin = Socket & { [REMEMBERED]?: RememberedLogin }

/** Notes what this header has proved on this connection, in place of what another one has. */
export function rememberLogin(socket: WithLogin, header: string, proof: Proof): void {
  socket[REMEMBERED] = { header, proof }
}

/** What this very header has proved on this connection, if it was the last that did. Whether that still holds is for the tokens to say. */
export function rememberedLogin(socket: WithLogin, header: string): Proof | undefined {
  const remembered = socket[REMEMBERED]
  return remembered !== undefined && isSame(remembered.header, header) ? remembered.proof : undefined
}

/** Takes as long wherever two texts of one length differ: behind a proxy a connection is shared by clients that must not guess each other's. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
