import { useEffect, useRef, useState } from 'preact/hooks'
import { TextInput } from '../controls/text-input.tsx'
import type { AccessState } from '../store/access.ts'
import { useTexts } from '../texts/use-texts.ts'

interface Properties {
  readonly state: Exclude<AccessState, { step: 'ready' }>
  readonly onToken: (token: string) => void
}

/** What the page shows before it has the device: that it connects, or the sign-in. */
export function Entrance({ state, onToken }: Properties) {
  const texts = useTexts()
  return (
    <main class="entrance" id="content">
      <div class="card">
        <p class="muted">{location.host}</p>
        {state.step === 'sign-in' ? (
          <SignIn refusal={state.refusal} onToken={onToken} />
        ) : (
          <>
            <h1>{state.step === 'unusable' ? texts.access.unusable : texts.access.connecting}</h1>
            {state.problem !== undefined && <p class="error">{state.problem}</p>}
          </>
        )}
      </div>
    </main>
  )
}

function SignIn({ refusal, onToken }: { readonly refusal: string | undefined; readonly onToken: (token: string) => void }) {
  const texts = useTexts()
  const [token, setToken] = useState('')
  const form = useRef<HTMLFormElement>(null)
  // Not `autofocus`: browsers ignore it where the address has a hash.
  useEffect(() => {
    document.title = `${texts.access.title} – ${location.host}`
    form.current?.querySelector('input')?.focus()
  }, [texts])
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        onToken(token.trim())
      }}
    >
      <h1>{texts.access.title}</h1>
      <TextInput
        label={texts.access.token}
        hint={texts.access.hint}
        type="password"
        required
        autocomplete="off"
        spellcheck={false}
        value={token}
        onText={setToken}
      />
      {refusal !== undefined && (
        <p class="error" role="alert">
          {refusal === '' ? texts.access.unknown : texts.access.refused(refusal)}
        </p>
      )}
      <footer>
        <button type="submit" class="main">
          {texts.access.title}
        </button>
      </footer>
    </form>
  )
}
