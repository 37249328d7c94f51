import type { ReadonlySignal } from '@preact/signals'
import { AskProvider } from '../parts/ask.tsx'
import type { Access } from '../store/access.ts'
import { StoreContext } from '../store/use-store.ts'
import { type Spoken, SpokenContext } from '../texts/use-texts.ts'
import { Entrance } from './entrance.tsx'
import { Frame } from './frame.tsx'
import { type Preferences, PreferencesContext } from './preferences.ts'
import type { Route } from './route.ts'

interface Properties {
  readonly access: Access
  readonly chosen: Preferences
  readonly spoken: ReadonlySignal<Spoken>
  readonly route: ReadonlySignal<Route>
}

/** The console. */
export function App({ access, chosen, spoken, route }: Properties) {
  return (
    <SpokenContext.Provider value={spoken}>
      <PreferencesContext.Provider value={chosen}>
        <AskProvider>
          <Content access={access} route={route} />
        </AskProvider>
      </PreferencesContext.Provider>
    </SpokenContext.Provider>
  )
}

function Content({ access, route }: Pick<Properties, 'access' | 'route'>) {
  const state = access.state.value
  if (state.step !== 'ready') return <Entrance state={state} onToken={(token) => void access.connect(token)} />
  return (
    <StoreContext.Provider value={state.store}>
      <Frame route={route.value} onSignOut={() => void access.signOut()} />
    </StoreContext.Provider>
  )
}
