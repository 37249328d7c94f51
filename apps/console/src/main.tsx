import { effect, signal } from '@preact/signals'
import { SystemClock, systemWallTime } from '@slotwire/core'
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { preferences } from './shell/preferences.ts'
import { followRoute } from './shell/route.ts'
import { Access } from './store/access.ts'
import { en } from './texts/en.ts'
import { type Spoken, spokenIn } from './texts/use-texts.ts'

const chosen = preferences(localStorage, navigator.languages)
const spoken = signal<Spoken>({ language: 'en', texts: en })
effect(() => {
  const language = chosen.language.value
  void spokenIn(language).then((loaded) => {
    if (language !== chosen.language.peek()) return
    spoken.value = loaded
    document.documentElement.lang = language
  })
})
effect(() => {
  document.documentElement.dataset['theme'] = chosen.theme.value
})
const access = new Access(location.origin, new SystemClock(), systemWallTime)
render(<App access={access} chosen={chosen} spoken={spoken} route={followRoute(window)} />, document.body)
void access.connect()
