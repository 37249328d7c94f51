import type { Question } from '../parts/ask.tsx'
import type { Write } from '../store/write.ts'
import { OutcomeLine } from './outcome-line.tsx'
import { RequestButton } from './request-button.tsx'
import { useBlocked, useSend } from './use-send.ts'

interface Properties {
  readonly write: Write
  readonly label: string
  /** Asked before it is sent. By default only what the contract calls dangerous asks; `false`: it does not ask. */
  readonly question?: Question | false
  /** The main button of its card. */
  readonly isMain?: boolean
  readonly onDone?: (reply: unknown) => void
}

/**
 * A button that sends a request: `<Action write={moduleWrite(store, 'io', 3, 'setOutputState', { pin: 1, state: 'high' })} label={…} />`. It is
 * disabled, with the reason, while the page does not drive; asks first if that is dangerous; shows an error in the words of the server;
 * and shows its request. A disabled button can still be focused, so that a keyboard finds the reason.
 */
export function Action({ write, label, question, isMain = false, onDone }: Properties) {
  const { outcome, send } = useSend(write)
  const blocked = useBlocked(write)
  const run = async (): Promise<void> => {
    const reply = await send(write, question)
    if (outcome.peek().step === 'done') onDone?.(reply)
  }
  return (
    <span class="action">
      <button
        type="button"
        class={write.danger !== undefined && question !== false ? 'danger' : isMain ? 'main' : ''}
        aria-disabled={blocked !== undefined}
        title={blocked}
        onClick={() => void run()}
      >
        {label}
      </button>
      <RequestButton write={write} />
      <OutcomeLine outcome={outcome} />
    </span>
  )
}
