import type { Question } from '../parts/ask.tsx'
import type { Write } from '../store/write.ts'
import { ChoiceInput } from './choice-input.tsx'
import { OutcomeLine } from './outcome-line.tsx'
import { RequestButton } from './request-button.tsx'
import { useBlocked, useSend } from './use-send.ts'

interface Properties<Choice extends string | number> {
  readonly label: string
  readonly choices: readonly Choice[]
  /** What is set now, as the module acknowledged it; undefined: not known. */
  readonly value: Choice | undefined
  readonly unit?: string
  /** The request that sets a choice. */
  readonly writeOf: (choice: Choice) => Write
  readonly question?: Question | false
}

/** Some words. One of them is set; choosing another sends a request at once. Has all that `Action` has. */
export function SendChoice<Choice extends string | number>({ writeOf, question, ...choice }: Properties<Choice>) {
  const { outcome, send } = useSend()
  const [first] = choice.choices
  const shown = choice.value ?? first
  const write = shown === undefined ? undefined : writeOf(shown)
  if (write === undefined) return null
  return (
    <span class="action">
      <Chooser {...choice} write={write} onChange={(chosen) => void send(writeOf(chosen), question)} />
      <RequestButton write={write} />
      <OutcomeLine outcome={outcome} />
    </span>
  )
}

function Chooser<Choice extends string | number>({
  write,
  ...choice
}: Omit<Properties<Choice>, 'writeOf' | 'question'> & { readonly write: Write; readonly onChange: (choice: Choice) => void }) {
  return <ChoiceInput {...choice} blocked={useBlocked(write)} />
}
