import type { AnyCommand } from './command.ts'

/** The commands among the exports of a file, such as a module type's `wire.ts`. */
export function commandsIn(exports: object): readonly AnyCommand[] {
  return Object.values(exports).filter(isCommand)
}

function isCommand(value: unknown): value is AnyCommand {
  return typeof value === 'object' && value !== null && 'operation' in value
}
