import { autocannon } from './autocannon.ts'
import type { LoadTool } from './load-tool.ts'
import { wrk } from './wrk.ts'

/** wrk where it is installed, else autocannon. */
export async function findLoadTool(): Promise<LoadTool> {
  return (await wrk()) ?? autocannon
}
