import { useSignal } from '@preact/signals'
import { useContext, useId } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { isLeased } from '../store/drive.ts'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PreferencesContext } from './preferences.ts'

/** `holder` has 1…64 characters. */
const MAX_NAME_CHARACTERS = 64

/** Asks for the user's name, and takes all slots with a module. Offers to take them over from another. */
export function DriveDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts()
  const { drive } = useStore()
  const { holder } = useContext(PreferencesContext)
  const problem = useSignal<string | undefined>(undefined)
  const isTaken = useSignal(false)
  const id = useId()
  const others = drive.others.value
  const take = async (force: boolean): Promise<void> => {
    try {
      await drive.take(holder.peek().trim(), force)
      onClose()
    } catch (error) {
      isTaken.value = isLeased(error)
      problem.value = texts.error(reasonOf(error))
    }
  }
  const isHeld = others.length > 0 || isTaken.value
  return (
    <Dialog title={texts.drive.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void take(isHeld)
        }}
      >
        <p>{texts.drive.explain}</p>
        <span class="field">
          <label for={id}>{texts.drive.name}</label>
          <input
            id={id}
            value={holder.value}
            maxLength={MAX_NAME_CHARACTERS}
            required
            pattern=".*\S.*"
            autofocus
            autocomplete="nickname"
            onInput={({ currentTarget }) => {
              holder.value = currentTarget.value
            }}
          />
        </span>
        {others.map(({ number, holder: other, slots }) => (
          <p key={number} class="notice">
            {texts.drive.heldBy(other, slots.join(', '))}
          </p>
        ))}
        {problem.value !== undefined && (
          <p class="error" role="alert">
            {problem.value}
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
