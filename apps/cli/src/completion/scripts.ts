import type { CompletedCommand, CompletedOption, Word } from './completed-commands.ts'

/** Quotes a text for all three shells. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`
const wordsOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ')
const flagsOf = (options: readonly CompletedOption[]): string => options.flatMap(({ flags }) => flags).join(' ')
/** Patterns of a `case` in bash and zsh. */
const anyOf = (patterns: readonly string[]): string => patterns.map(quoted).join('|')
/** Asks for words of the device. */
const liveWords = (live: string): string => `$(slotwire devices --complete ${live} 2>/dev/null)`
/** How the scripts find the command in a line: by these words before the cursor. */
const pathsOf = (commands: readonly CompletedCommand[]): readonly string[] =>
  commands.filter(({ path }) => path !== '').map(({ path }) => (path.includes(' ') ? path : ` ${path}`))
/** The choices of a value, or nothing for a file. */
const valueCases = (commands: readonly CompletedCommand[], values: (choices: readonly string[]) => string): string =>
  commands
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, choices }) => `    ${anyOf(flags.map((flag) => `${path} ${flag}`))}) ${values(choices)}; return ;;`),
    )
    .join('\n')

/** A script for bash. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, subcommands, argument, options, live }) => {
    const words = [wordsOf(subcommands), wordsOf(argument), flagsOf(options)].filter((text) => text !== '').join(' ')
    const more = live === undefined ? '' : ` && [[ $word != -* ]] && words+=" ${liveWords(live)}"`
    return `    ${quoted(path)}) words=${quoted(words)}${more} ;;`
  })
  return `# Completion of slotwire for bash.
_slotwire() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} path= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${anyOf(pathsOf(commands))}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $before" in
${valueCases(commands, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$word"))`)}
  esac
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _slotwire slotwire
`
}

/** A script for zsh, to be sourced or put into a folder of $fpath as _slotwire. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = ({ word, about }: Word): string => quoted(about === '' ? word : `${word}:${about}`)
  const cases = commands.map(({ path, subcommands, argument, options, live }) => {
    const flags = options.flatMap(({ flags: each, about }) => each.map((word) => ({ word, about })))
    const values = [...subcommands, ...argument]
    return `    ${quoted(path)})
      values=(${[...values.map(described), ...(live === undefined ? [] : [liveWords(live)])].join(' ')})
      flags=(${flags.map(described).join(' ')}) ;;`
  })
  const choicesIn = (choices: readonly string[]): string => (choices.length === 0 ? '_files' : `compadd -- ${choices.join(' ')}`)
  return `#compdef slotwire
# Completion of slotwire for zsh.
_slotwire() {
  local current=$words[CURRENT] before=$words[CURRENT-1] at= i
  local -a values flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      ${anyOf(pathsOf(commands))}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at $before" in
${valueCases(commands, choicesIn)}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then _describe option flags
  elif (($#values)); then _describe command values
  else _files
  fi
}
if [[ $funcstack[1] == _slotwire ]]; then _slotwire "$@"; else compdef _slotwire slotwire; fi
`
}

/** A script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, subcommands, argument, options, live }) => {
    const start = `complete -c slotwire -n ${quoted(`__slotwire_at "${path}"`)}`
    const noFiles = subcommands.length + argument.length > 0 || live !== undefined ? [`${start} -f`] : []
    const words = [...subcommands, ...argument].map(
      ({ word, about }) => `${start} -a ${word}${about === '' ? '' : ` -d ${quoted(about)}`}`,
    )
    // fish runs a command in parentheses when the user asks.
    const more = live === undefined ? [] : [`${start} -a ${quoted(`(slotwire devices --complete ${live} 2>/dev/null)`)}`]
    return [...noFiles, ...words, ...more, ...options.map((option) => `${start}${fishOption(option)}`)]
  })
  return `# Completion of slotwire for fish.
function __slotwire_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${pathsOf(commands).map(quoted).join(' ')}
        set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function fishOption({ flags, about, takesValue, choices }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`))
  const value = !takesValue ? '' : choices.length === 0 ? ' -r -F' : ` -x -a ${quoted(choices.join(' '))}`
  return `${names.join('')} -d ${quoted(about)}${value}`
}
