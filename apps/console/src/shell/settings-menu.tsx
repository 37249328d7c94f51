import { useContext, useId } from 'preact/hooks'
import { LANGUAGES, type Language, useTexts } from '../texts/use-texts.ts'
import { PreferencesContext, THEMES, type Theme } from './preferences.ts'

interface Properties {
  /** Undefined: no token is in use. */
  readonly onSignOut?: (() => void) | undefined
  readonly version?: string | undefined
}

/** Language, colors, and signing out. Closes when the focus leaves it. */
export function SettingsMenu({ onSignOut, version }: Properties) {
  const texts = useTexts()
  const { language, theme } = useContext(PreferencesContext)
  const id = useId()
  return (
    <details
      class="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false
      }}
    >
      <summary aria-label={texts.shell.menu.settings} title={texts.shell.menu.settings}>
        ⚙
      </summary>
      {/* Focusable, so that a click into it keeps the focus inside. */}
      <div class="panel" tabIndex={-1}>
        <span class="field">
          <label for={`${id}-language`}>{texts.shell.menu.language}</label>
          <select
            id={`${id}-language`}
            value={language.value}
            onChange={({ currentTarget }) => {
              language.value = currentTarget.value as Language
            }}
          >
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </span>
        <span class="field">
          <label for={`${id}-theme`}>{texts.shell.menu.theme}</label>
          <select
            id={`${id}-theme`}
            value={theme.value}
            onChange={({ currentTarget }) => {
              theme.value = currentTarget.value as Theme
            }}
          >
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {texts.shell.themes[name]}
              </option>
            ))}
          </select>
        </span>
        <a href="#/about">{texts.shell.menu.about}</a>
        {version !== undefined && <small class="muted">{texts.shell.version(version)}</small>}
        {onSignOut !== undefined && (
          <button type="button" onClick={onSignOut}>
            {texts.shell.menu.signOut}
          </button>
        )}
      </div>
    </details>
  )
}
