import type { Question } from '../parts/dialog.tsx'
import type { Write } from '../store/write.ts'
import { ChoiceInput, type ChoiceProperties } from './choice-input.tsx'
import { RequestButton } from './request-button.tsx'
import { OutcomeLine, useBlocked, useSend } from './use-send.tsx'

interface Properties {
  readonly write: Write
  readonly label: string
  /** Asked before it is sent. By default only what the contract calls dangerous asks; `false`: it does not ask. */
  readonly question?: Question | false | undefined
  /** The main button of its card. */
  readonly isMain?: boolean
}

/**
 * A button that sends a request: `<Action write={moduleWrite(store, 'io', 3, 'setOutputState', { pin: 1, state: 'high' })} label={…} />`. It is
 * disabled, with the reason, while the page does not drive; asks first if that is dangerous; shows an error in the words of the server;
 * and shows its request. A disabled button can still be focused, so that a keyboard finds the reason.
 */
export function Action({ write, label, question, isMain = false }: Properties) {
  const { outcome, send } = useSend(write)
  const blocked = useBlocked(write)
  return (
    <span class="action">
      <button
        type="button"
        class={write.danger !== undefined && question !== false ? 'danger' : isMain ? 'main' : ''}
        aria-disabled={blocked !== undefined}
        title={blocked}
        onClick={() => void send(write, question)}
      >
        {label}
      </button>
      <RequestButton write={write} />
      <OutcomeLine outcome={outcome} />
    </span>
  )
}

type SendChoiceProperties<Choice extends string | number | boolean> = Omit<ChoiceProperties<Choice>, 'onChange' | 'blocked'> & {
  /** The request that sets a choice. */
  readonly writeOf: (choice: Choice) => Write
}

/** Some words. One of them is set; choosing another sends a request at once. Has all that `Action` has. */
export function SendChoice<Choice extends string | number | boolean>({ writeOf, ...choice }: SendChoiceProperties<Choice>) {
  const { outcome, send } = useSend()
  const write = writeOf((choice.value ?? choice.choices[0]) as Choice)
  return (
    <span class="action">
      <ChoiceInput {...choice} blocked={useBlocked(write)} onChange={(chosen) => void send(writeOf(chosen))} />
      <RequestButton write={write} />
      <OutcomeLine outcome={outcome} />
    </span>
  )
}
