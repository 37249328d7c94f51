import { useState } from 'preact/hooks'
import { useAsk } from '../parts/dialog.tsx'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Switches all io modules off. Asks before, asks again for slots that others leased, and says what did not go off. */
export function OffControl() {
  const texts = useTexts()
  const { device } = useStore()
  const ask = useAsk()
  const [problem, setProblem] = useState('')
  const switchOff = async (force: boolean): Promise<void> => {
    const modules = await device.off({ force })
    const silent = modules.filter(({ result }) => result === 'silent').map(({ slot }) => slot)
    setProblem(silent.length === 0 ? '' : texts.off.silent(silent.join(', ')))
    const leased = modules.filter(({ result }) => result === 'leased')
    const holders = leased.map(({ slot, holder = '' }) => texts.off.leased(slot, holder)).join(' ')
    const question = { title: texts.off.left, text: holders, confirm: texts.off.force }
    if (leased.length > 0 && (await ask(question))) await switchOff(true)
  }
  const start = async (): Promise<void> => {
    if (!(await ask({ title: texts.off.ask, text: texts.off.will, confirm: texts.off.all }))) return
    await switchOff(false).catch((error: unknown) => setProblem(texts.error(reasonOf(error))))
  }
  return (
    <span class="off">
      <button type="button" class="danger" onClick={() => void start()}>
        {texts.off.all}
      </button>
      {problem !== '' && (
        <>
          <span class="error" role="alert">
            {problem}
          </span>
          <button type="button" class="quiet" onClick={() => setProblem('')}>
            {texts.health.dismiss}
          </button>
        </>
      )}
    </span>
  )
}
