import { useSignal } from '@preact/signals'
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useId, useRef } from 'preact/hooks'
import { useTexts } from '../texts/use-texts.ts'

interface Properties {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is rendered. Escape and its cross close it. */
export function Dialog({ title, onClose, children }: Properties) {
  const texts = useTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      dialog.current?.close()
      // The browser cannot give the focus back when the dialog has left the page.
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={texts.close} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}

/** What the user is asked before something dangerous happens. */
export interface Question {
  readonly title: string
  /** What will happen. */
  readonly text: string
  /** Text of the button that agrees; default: “Yes, do it”. */
  readonly confirm?: string
}

type Ask = (question: Question) => Promise<boolean>

const AskContext = createContext<Ask>(() => Promise.resolve(false))

/** Asks the user: `if (await ask({ title, text })) …`. */
export function useAsk(): Ask {
  return useContext(AskContext)
}

/** Shows the questions of the components below it, one at a time. */
export function AskProvider({ children }: { readonly children: ComponentChildren }) {
  const texts = useTexts()
  const current = useSignal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined)
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((resolve) => {
        current.peek()?.answer(false)
        current.value = { ...question, answer: resolve }
      }),
    [current],
  )
  const end = (yes: boolean): void => {
    const question = current.peek()
    current.value = undefined
    question?.answer(yes)
  }
  return (
    <AskContext.Provider value={ask}>
      {children}
      {current.value !== undefined && (
        <Dialog title={current.value.title} onClose={() => end(false)}>
          <p>{current.value.text}</p>
          <footer>
            <button type="button" autofocus onClick={() => end(false)}>
              {texts.cancel}
            </button>
            <button type="button" class="danger" onClick={() => end(true)}>
              {current.value.confirm ?? texts.request.steps.confirm}
            </button>
          </footer>
        </Dialog>
      )}
    </AskContext.Provider>
  )
}
