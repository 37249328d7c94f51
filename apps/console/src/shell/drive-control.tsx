import { useContext, useEffect, useState } from 'preact/hooks'
import { TextInput } from '../controls/text-input.tsx'
import { Badge } from '../parts/badge.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isLeased } from '../store/drive.ts'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PreferencesContext } from './preferences.ts'

/** `holder` has 1…64 characters. */
const MAX_NAME_CHARACTERS = 64

/** Who drives, and the button to do so. Gives back when the page closes, or was hidden for a minute. */
export function DriveControl() {
  const texts = useTexts()
  const store = useStore()
  const { drive } = store
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onHide = (): void => void drive.giveBack()
    const onVisibility = (): void => store.setHidden(document.hidden)
    onVisibility()
    window.addEventListener('pagehide', onHide)
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      window.removeEventListener('pagehide', onHide)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [store, drive])
  const state = drive.state.value
  const others = [
    ...new Set(drive.others.value.map(({ holder, token }) => (token === undefined ? holder : `${holder} (${token})`))),
  ]
  return (
    <span class="drive" data-step={state.step}>
      {others.length > 0 && <Badge tone="warn">{texts.drive.driving(others.join(', '))}</Badge>}
      {state.step === 'on' ? (
        <>
          <Badge tone="accent">{texts.drive.you(state.holder)}</Badge>
          <button type="button" onClick={() => void drive.giveBack()}>
            {texts.drive.stop}
          </button>
        </>
      ) : (
        <>
          {others.length === 0 && <Badge>{texts.drive.readOnly}</Badge>}
          <button type="button" class="main" onClick={() => setOpen(true)}>
            {texts.drive.start}
          </button>
        </>
      )}
      {state.step === 'off' && state.ended !== undefined && (
        <>
          <span class="drive-ended" role="status">
            {state.by === undefined ? texts.drive[state.ended] : texts.drive.takenOver(state.by)}
          </span>
          <button type="button" class="quiet" onClick={() => void drive.giveBack()}>
            {texts.health.dismiss}
          </button>
        </>
      )}
      {isOpen && <DriveDialog onClose={() => setOpen(false)} />}
    </span>
  )
}

/** Asks for the user's name, and takes all slots with a module. Offers to take them over from another. */
function DriveDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts()
  const { drive } = useStore()
  const { holder } = useContext(PreferencesContext)
  const [problem, setProblem] = useState('')
  const [isTaken, setTaken] = useState(false)
  const others = drive.others.value
  const take = async (force: boolean): Promise<void> => {
    try {
      await drive.take(holder.peek().trim(), force)
      onClose()
    } catch (error) {
      setTaken(isLeased(error))
      setProblem(texts.error(reasonOf(error)))
    }
  }
  const isHeld = others.length > 0 || isTaken
  return (
    <Dialog title={texts.drive.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void take(isHeld)
        }}
      >
        <p>{texts.drive.explain}</p>
        <TextInput
          label={texts.drive.name}
          value={holder.value}
          maxLength={MAX_NAME_CHARACTERS}
          required
          pattern=".*\S.*"
          autofocus
          autocomplete="nickname"
          onText={(name) => {
            holder.value = name
          }}
        />
        {others.map(({ number, holder: other, slots }) => (
          <p key={number} class="notice">
            {texts.drive.heldBy(other, slots.join(', '))}
          </p>
        ))}
        {problem !== '' && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" class={isHeld ? 'danger' : 'main'} disabled={drive.state.value.step === 'taking'}>
            {isHeld ? texts.drive.takeOver : texts.drive.start}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
