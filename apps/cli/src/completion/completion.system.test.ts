import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { inRoot } from '../../../../tools/setup/root.mjs'
import { runInProcess } from '../command.testkit.ts'
import { commands } from '../commands.ts'

const folder = temporaryFolder()
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), (await runInProcess('completion', shell)).output)
  // The shell asks the command for these.
  mkdirSync(join(folder, '.bin'))
  symlinkSync(inRoot('apps', 'cli', 'bin', 'slotwire.js'), join(folder, '.bin', 'slotwire'))
  mkdirSync(join(folder, '.config', 'slotwire'), { recursive: true })
  const contexts = { lab: { url: 'http://127.0.0.1:1' }, plant: { url: 'http://127.0.0.1:2' } }
  writeFileSync(join(folder, '.config', 'slotwire', 'contexts.json'), JSON.stringify({ contexts }))
})

/** What a shell offers after each line; `[]`: the names of files. */
const table: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['', [...Object.keys(commands), 'help']],
  ['confi', ['config']],
  ['token ', ['create', 'help', 'list', 'revoke']],
  ['token create --re', ['--read-only']],
  ['serve --hard', ['--hardware']],
  ['serve --hardware ', ['auto', 'kernel', 'twin']],
  ['serve --json --log-format p', ['pretty']],
  ['help proxy', ['proxy-config']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['serve --state ', []],
  ['context use ', ['lab', 'plant']],
  ['context remove p', ['plant']],
]

/** How each shell prints what it offers, one word a line, for the line in `$1`. */
const asking: Readonly<Record<string, string>> = {
  bash: 'source "$0"; read -ra COMP_WORDS <<<"slotwire $1"; [[ "slotwire $1" == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _slotwire; printf "%s\\n" "${COMPREPLY[@]}"',
  // The functions of the completion system, which needs a terminal.
  zsh: 'compdef() { :; }; _files() { :; }; _describe() { print -l -- ${${(P)2}%%:*}; }; compadd() { shift; print -l -- $@; }; source "$0"; words=("${(@s: :)${:-slotwire $1}}"); CURRENT=$#words; _slotwire',
  fish: 'source $argv[1]; complete -C "slotwire $argv[2]"',
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  describeWith(shell, `slotwire completion ${shell}`, (path) => {
    it.each(table)('after "slotwire %s" offers %j', (line, offered) => {
      const options = shell === 'fish' ? ['--no-config'] : []
      const { stdout, stderr } = spawnSync(path, [...options, '-c', asking[shell] ?? '', join(folder, shell), line], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${join(folder, '.bin')}:${process.env['PATH'] ?? ''}`,
          XDG_CONFIG_HOME: join(folder, '.config'),
        },
      })
      const typed = line.split(' ').at(-1) ?? ''
      const words = stdout.split('\n').map((word) => word.split('\t')[0] ?? '')
      const found = words.filter((word) => word !== '' && word.startsWith(typed) && !(typed === '' && word.startsWith('-')))
      const files = ['bash', 'fish', 'zsh']
      const isFiles = offered.length === 0 && shell === 'fish'
      expect([stderr, found.sort()]).toEqual(['', isFiles ? files : [...offered].sort()])
    })
  })
}
