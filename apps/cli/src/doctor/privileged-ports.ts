import { linesOf } from './files.ts'

/** From here on ports are everybody's, unless the system says otherwise. */
const FIRST_FREE_PORT = 1024

/** The first port that is not root's alone. */
export async function firstFreePort(proc: string): Promise<number> {
  const [text = ''] = await linesOf(`${proc}/sys/net/ipv4/ip_unprivileged_port_start`)
  return /^\d+$/.test(text) ? Number(text) : FIRST_FREE_PORT
}
