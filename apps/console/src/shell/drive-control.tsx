import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Badge } from '../parts/badge.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { DriveDialog } from './drive-dialog.tsx'

/** Who drives, and the button to do so. Gives back when the page closes, or was hidden for a minute. */
export function DriveControl() {
  const texts = useTexts()
  const store = useStore()
  const { drive } = store
  const isOpen = useSignal(false)
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
          <button
            type="button"
            class="main"
            onClick={() => {
              isOpen.value = true
            }}
          >
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
      {isOpen.value && (
        <DriveDialog
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </span>
  )
}
