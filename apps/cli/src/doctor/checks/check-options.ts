import { type Check, failure, ok } from '../check.ts'
import type { Installation } from '../installation.ts'
import { SERVE_HELP } from '../slotwire-commands.ts'

/** With which options the service runs, for all that follows goes by them. */
export const optionsCheck: Check = {
  name: 'options',
  group: 'Program',
  isForHardware: true,
  isPerService: true,
  subject: ({ unit }) => (unit === undefined ? 'what was typed' : unit.name),
  run: ({ unit }) => [unit === undefined ? ok(AS_TYPED) : judge(unit)],
}

const AS_TYPED =
  'as typed here, or by default; those of an installed unit count where none of --state, --services, --port, --power-manager is typed'

function judge({ name, options, place, problem }: NonNullable<Installation['unit']>) {
  if (problem === undefined) return ok(`of ${name}: ${options}`)
  return failure(
    `${name} ${problem}: ${options}`,
    `Mend ${place} (${SERVE_HELP} lists what there is), then: systemctl restart ${name}.`,
  )
}
