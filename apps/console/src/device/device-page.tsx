import { ProblemList, useProblems } from '../parts/problem-list.tsx'
import { RailsCard } from '../parts/rails-card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Chassis } from './chassis.tsx'
import { ModulesCard } from './modules-card.tsx'

/** The first page: what is in the slots, and whether all is well. */
export function DevicePage() {
  const texts = useTexts()
  const { modules } = useStore()
  const problems = useProblems()
  const power = modules.list.value.find(({ service }) => service === 'power')?.slot
  return (
    <div class="device-page">
      <h1 class="hidden-text">{texts.device.title}</h1>
      {problems.length > 0 && (
        <section class="trouble" aria-label={texts.health.problems(problems.length)}>
          <ProblemList problems={problems} />
        </section>
      )}
      <Chassis />
      {power !== undefined && <RailsCard key={power} slot={power} aside={<a href={`#/power/${power}`}>{texts.device.more}</a>} />}
      {modules.list.value.length > 0 && <ModulesCard />}
    </div>
  )
}
