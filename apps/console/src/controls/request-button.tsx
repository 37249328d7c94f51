import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useStore } from '../store/use-store.ts'
import type { Write } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { snippetsOf } from './snippets.ts'

/** A small button that shows the request of a control, to copy. Every control that writes has one beside it. */
export function RequestButton({ write }: { readonly write: Write }) {
  const texts = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class="request-button"
        aria-label={texts.request.dialog.show}
        title={texts.request.dialog.show}
        onClick={() => setOpen(true)}
      >
        {'{ }'}
      </button>
      {isOpen && <RequestDialog write={write} onClose={() => setOpen(false)} />}
    </>
  )
}

function RequestDialog({ write, onClose }: { readonly write: Write; readonly onClose: () => void }) {
  const texts = useTexts()
  const { drive, hasToken } = useStore()
  const [copied, setCopied] = useState('')
  const { request, problem, slots } = write
  const holder = drive.holderOf(slots)
  return (
    <Dialog title={texts.request.dialog.title} onClose={onClose}>
      {request === undefined ? (
        <p class="error">{texts.request.invalid(problem ?? '')}</p>
      ) : (
        <>
          <pre class="request">
            {request.method} {request.path}
            {request.body !== undefined && `\n${JSON.stringify(request.body, undefined, 2)}`}
          </pre>
          {holder !== undefined && <p class="notice">{texts.request.leased(holder)}</p>}
          {hasToken && <p>{texts.request.token}</p>}
          {location.protocol === 'https:' && <p>{texts.request.authority}</p>}
          {Object.entries(snippetsOf({ ...write, request }, location.origin, hasToken)).map(([language, text]) => (
            <details key={language} open={language === 'curl'} name="language">
              <summary>{language}</summary>
              <pre tabIndex={0}>{text}</pre>
              <button
                type="button"
                autofocus={language === 'curl'}
                onClick={(event) => {
                  void copy(text, event.currentTarget.previousElementSibling).then((isCopied) => {
                    if (isCopied) setCopied(language)
                  })
                }}
              >
                {copied === language ? texts.request.dialog.copied : texts.request.dialog.copy}
              </button>
            </details>
          ))}
        </>
      )}
    </Dialog>
  )
}

/** Without TLS a page may not use the clipboard: then the text is selected, for the keyboard of the user. */
async function copy(text: string, shown: Element | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (shown !== null) getSelection()?.selectAllChildren(shown)
    return false
  }
}
