// Where a system keeps the settings and the state of a program.
import path from 'node:path'

export interface System {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

const pathsOf = ({ platform }: System) => (platform === 'win32' ? path.win32 : path.posix)

/** The name of an installation in a file's name: `files.example.com`, `127.0.0.1_3000`. */
const hostName = (url: string): string => new URL(url).host.replaceAll(/[^\w.-]/g, '_')

function folder(system: System, xdg: string, below: string, windows: string): string {
  const { join } = pathsOf(system)
  const { platform, env, home } = system
  if (platform === 'win32')
    return join(
      env[windows] || join(home, 'AppData', windows === 'APPDATA' ? 'Roaming' : 'Local'),
      'stevedore',
    )
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'stevedore')
  return join(env[xdg] || join(home, below), 'stevedore')
}

/** One file of each installation, so that a key is never sent to another one. */
export const keyFileOf = (system: System, url: string): string =>
  pathsOf(system).join(
    folder(system, 'XDG_CONFIG_HOME', '.config', 'APPDATA'),
    `${hostName(url)}.key`,
  )

/** The folder of unfinished uploads to one installation, or to one of its shops. */
export const uploadsFolderOf = (system: System, url: string, shop?: string): string =>
  pathsOf(system).join(
    folder(system, 'XDG_STATE_HOME', '.local/state', 'LOCALAPPDATA'),
    'uploads',
    hostName(url) + (shop === undefined ? '' : `_${shop.replace(/[^\w.-]/g, '_')}`),
  )
