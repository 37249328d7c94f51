import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { RemoteContext } from './remote-context.ts'

type Make = (context: RemoteContext) => Command
/** What this program gives to the commands for a device, besides the terminal. */
type Program = Omit<RemoteContext, 'terminal' | 'ask' | 'input'>

/** The commands for a device, by name, in the order of the help. Each is loaded when it is typed. */
const loaders = {
  context: async () => (await import('./context-command.ts')).contextCommand,
  devices: async () => (await import('./device-commands.ts')).devicesCommand,
  get: async () => (await import('./device-commands.ts')).getCommand,
  set: async () => (await import('./pin-commands.ts')).setCommand,
  watch: async () => (await import('./live-commands.ts')).watchCommand,
  mode: async () => (await import('./pin-commands.ts')).modeCommand,
  pwm: async () => (await import('./pin-commands.ts')).pwmCommand,
  threshold: async () => (await import('./pin-commands.ts')).thresholdCommand,
  interrupt: async () => (await import('./pin-commands.ts')).interruptCommand,
  counter: async () => (await import('./pin-commands.ts')).counterCommand,
  'power-config': async () => (await import('./pin-commands.ts')).powerConfigCommand,
  alerts: async () => (await import('./live-commands.ts')).alertsCommand,
  bmc: async () => serviceOf('bmc'),
  power: async () => serviceOf('power'),
  off: async () => (await import('./device-commands.ts')).offCommand,
  reset: async () => (await import('./device-commands.ts')).resetCommand,
  descriptor: async () => (await import('./device-commands.ts')).descriptorCommand,
  events: async () => (await import('./live-commands.ts')).eventsCommand,
  history: async () => (await import('./live-commands.ts')).historyCommand,
  bench: async () => (await import('./bench-command.ts')).benchCommand,
  conform: async () => (await import('../conform/conform-command.ts')).conformCommand,
  lease: async () => (await import('./lease-command.ts')).leaseCommand,
} satisfies Record<string, () => Promise<Make>>

async function serviceOf(service: 'bmc' | 'power'): Promise<Make> {
  const { serviceCommand } = await import('./service-commands.ts')
  return (context) => serviceCommand(service, context)
}

/** The commands for a device, for the table of all commands. */
export const remoteCommands = Object.fromEntries(
  Object.entries(loaders).map(([name, load]) => [
    name,
    async (program: Program): Promise<Command> => (await load())({ ...program, ...terminalOf(process, program.stopped) }),
  ]),
)

/** The user's terminal. */
export function terminalOf(
  { stdin, stdout, stderr }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>,
  stopped: RemoteContext['stopped'],
): Pick<RemoteContext, 'terminal' | 'ask' | 'input'> {
  return {
    terminal: stdout.isTTY ? { columns: stdout.columns } : undefined,
    ask: stdin.isTTY && stderr.isTTY ? askOn(stdin, stderr, stopped) : undefined,
    input: () => text(stdin),
  }
}

/** Asks a user yes or no on a terminal. Ctrl-C, Ctrl-D, a terminal that closes and a stop signal are no. */
export function askOn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  stopped: () => Promise<unknown>,
): (question: string) => Promise<boolean> {
  return async (question) => {
    const lines = createInterface({ input, output })
    const end = new AbortController()
    void stopped().then(() => end.abort())
    try {
      return /^y(es)?$/i.test((await lines.question(question, { signal: end.signal })).trim())
    } catch {
      output.write('\n')
      return false
    } finally {
      lines.close()
    }
  }
}
