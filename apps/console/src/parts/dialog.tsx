import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
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
