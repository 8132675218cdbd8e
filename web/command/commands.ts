// The list of commands, and the help that names them.
import { apiCommand } from './api.ts'
import { applyCommand } from './apply.ts'
import type { Command } from './context.ts'
import { deliveriesCommand } from './deliveries.ts'
import { exportCommand } from './export.ts'
import { filesCommand } from './files.ts'
import { importCommand } from './import.ts'
import { linksCommand } from './links.ts'
import { runCommand, undoCommand, waitCommand } from './operations.ts'
import { pullCommand } from './pull.ts'
import { keyFileOf, type System } from './places.ts'

export const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['import', importCommand],
  ['export', exportCommand],
  ['files', filesCommand],
  ['run', runCommand],
  ['undo', undoCommand],
  ['wait', waitCommand],
  ['deliveries', deliveriesCommand],
  ['links', linksCommand],
  ['pull', pullCommand],
  ['apply', applyCommand],
  ['api', apiCommand],
])

/** `stevedore --help`. */
export function generalHelp(system: System, url: string | null): string {
  const commands = [...COMMANDS].map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  const place = keyFileOf(system, url ?? 'https://HOST').replace(system.home, '~')
  return [
    'stevedore COMMAND [options]',
    `for ${url ?? 'the installation of STEVEDORE_URL'}`,
    '',
    ...commands,
    '',
    'stevedore COMMAND --help tells more. --json writes one JSON object a line.',
    '',
    'The API key comes from STEVEDORE_KEY, from --key-file FILE, or from',
    `${place} (mode 0600).`,
    '--shop DOMAIN, or STEVEDORE_SHOP, names the shop for the key of an agency.',
    '',
    'Exit codes: 0 all done, 1 some failed, 2 wrong use, 3 not reached,',
    '130 ended by Ctrl-C: run the same command again to continue.',
  ].join('\n')
}
