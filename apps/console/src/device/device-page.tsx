import { ProblemList, useProblems } from '../parts/problem-list.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Chassis } from './chassis.tsx'
import { CoolingCard } from './cooling-card.tsx'
import { ModulesCard } from './modules-card.tsx'
import { PowerCard } from './power-card.tsx'
import { StateCard } from './state-card.tsx'

/** The first page: what is in the slots, and whether all is well. */
export function DevicePage() {
  const texts = useTexts()
  const { modules } = useStore()
  const problems = useProblems()
  const slotOf = (service: string): number | undefined => modules.list.value.find((module) => module.service === service)?.slot
  const [power, bmc] = [slotOf('power'), slotOf('bmc')]
  return (
    <div class="device-page">
      <h1 class="hidden-text">{texts.device.title}</h1>
      {problems.length > 0 && (
        <section class="trouble" aria-label={texts.health.problems(problems.length)}>
          <ProblemList problems={problems} />
        </section>
      )}
      <div class="wide">
        <Chassis />
      </div>
      <div class="stack">
        {power !== undefined && <PowerCard key={power} slot={power} />}
        <ModulesCard />
      </div>
      <div class="stack facts-cards">
        <StateCard bmc={bmc} />
        <CoolingCard power={power} bmc={bmc} />
      </div>
    </div>
  )
}
