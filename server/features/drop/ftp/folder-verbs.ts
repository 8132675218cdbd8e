// Verbs about names: the current folder, listings, and changes.
import type { Node } from '../vfs.ts'
import { sessionOf, type State, type Verb } from './state.ts'

const fsOf = (state: State) => sessionOf(state).fs
export const pathOf = (state: State, argument: string) =>
  fsOf(state).resolve(argument, state.folder)
const quoted = (path: string) => `"${path.replaceAll('"', '""')}"`

/** The time in the form of RFC 3659: YYYYMMDDHHMMSS in UTC. */
const timeVal = (date: Date) => date.toISOString().replace(/[-:T]/g, '').slice(0, 14)

function fromTimeVal(text: string): Date | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?$/.exec(text)
  if (!parts) return null
  const [, year, month, day, hour, minute, second] = parts
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(date.getTime()) ? null : date
}

export const factsOf = ({ kind, size, modified }: Node): string =>
  kind === 'folder'
    ? `type=dir;modify=${timeVal(modified)};`
    : `type=file;size=${size};modify=${timeVal(modified)};`

/**
 * Resolves the folder of CWD: curl starts in the home and changes to `uploads`, then to the shop's
 * folder in it.
 */
async function folderOf(state: State, argument: string): Promise<string> {
  const path = pathOf(state, argument)
  if (argument !== 'uploads' || state.folder !== fsOf(state).home) return path
  return (await exists(state, argument)) ? path : '/uploads'
}

const changeFolder = async (state: State, argument: string) => {
  const path = await folderOf(state, argument)
  if ((await fsOf(state).stat(path)).kind !== 'folder')
    return state.reply(550, 'This is not a folder')
  state.folder = path
  state.reply(250, 'OK')
}
const where: Verb = (state) => state.reply(257, quoted(state.folder))
const makeFolder: Verb = async (state, argument) => {
  const path = pathOf(state, argument)
  await fsOf(state).makeFolder(path)
  state.reply(257, quoted(path))
}
const removeFolder: Verb = async (state, argument) => {
  await fsOf(state).removeFolder(pathOf(state, argument))
  state.reply(250, 'Removed')
}
const up: Verb = (state) => changeFolder(state, '..')

/** The old form of MFMT: `MDTM 20270301120000 name`. A file may have such a name too. */
async function readOrSetTime(state: State, argument: string): Promise<void> {
  const [, time = '', name = ''] = /^(\d{14}) (.+)$/.exec(argument) ?? []
  const date = fromTimeVal(time)
  if (date && !(await exists(state, argument))) {
    await fsOf(state).setModified(pathOf(state, name), date)
    return state.reply(253, 'The time is set')
  }
  const { kind, modified } = await fsOf(state).stat(pathOf(state, argument))
  if (kind === 'folder') return state.reply(550, 'This is a folder')
  state.reply(213, timeVal(modified))
}

/**
 * What clients send after an upload and count as its failure: CHMOD has no effect, as over SFTP;
 * UTIME is a form of MFMT, `UTIME 202703011200 name` or `UTIME name ATIME MTIME CTIME UTC`.
 */
const site: Verb = async (state, argument) => {
  const [, command = '', rest = ''] = /^(\S+) ?(.*)$/.exec(argument) ?? []
  switch (command.toUpperCase()) {
    case 'CHMOD': {
      const [, name] = /^[0-7]{3,4} (.+)$/.exec(rest) ?? []
      if (name === undefined) return state.reply(501, 'Send SITE CHMOD 644 name')
      await fsOf(state).stat(pathOf(state, name))
      return state.reply(200, 'Files here have no permissions of their own')
    }
    case 'UTIME': {
      const [, early, name] = /^(\d{12}(?:\d\d)?) (.+)$/.exec(rest) ?? []
      const [, old, late] = /^(.+) \d{14} (\d{14}) \d{14} UTC$/.exec(rest) ?? []
      const date = fromTimeVal((late ?? early ?? '').padEnd(14, '0'))
      const file = old ?? name
      if (!date || file === undefined) return state.reply(501, 'Send SITE UTIME YYYYMMDDHHMM name')
      await fsOf(state).setModified(pathOf(state, file), date)
      return state.reply(200, 'The time is set')
    }
    case 'HELP':
      return state.reply(214, 'CHMOD UTIME HELP')
    default:
      return state.reply(504, 'Unknown SITE command')
  }
}

const exists = (state: State, argument: string): Promise<boolean> =>
  fsOf(state)
    .stat(pathOf(state, argument))
    .then(
      () => true,
      () => false,
    )

async function setTime(state: State, argument: string): Promise<void> {
  const [time = '', ...name] = argument.split(' ')
  const date = fromTimeVal(time)
  if (!date || name.length === 0) return state.reply(501, 'Send MFMT YYYYMMDDHHMMSS name')
  await fsOf(state).setModified(pathOf(state, name.join(' ')), date)
  state.reply(213, `Modify=${timeVal(date)}; ${name.join(' ')}`)
}

export const FOLDER_VERBS: Readonly<Record<string, Verb>> = {
  PWD: where,
  XPWD: where,
  CWD: changeFolder,
  XCWD: changeFolder,
  CDUP: up,
  XCUP: up,
  MKD: makeFolder,
  XMKD: makeFolder,
  RMD: removeFolder,
  XRMD: removeFolder,
  DELE: async (state, argument) => {
    await fsOf(state).remove(pathOf(state, argument))
    state.reply(250, 'Deleted')
  },
  RNFR: async (state, argument) => {
    const path = pathOf(state, argument)
    await fsOf(state).stat(path)
    state.renameFrom = path
    state.reply(350, 'Send RNTO')
  },
  RNTO: async (state, argument) => {
    const from = state.renameFrom
    state.renameFrom = null
    if (from === null) return state.reply(503, 'Send RNFR first')
    await fsOf(state).rename(from, pathOf(state, argument), true)
    state.reply(250, 'Renamed')
  },
  SIZE: async (state, argument) => {
    const { kind, size } = await fsOf(state).stat(pathOf(state, argument))
    if (kind === 'folder') return state.reply(550, 'This is a folder')
    state.reply(213, String(size))
  },
  MDTM: readOrSetTime,
  MFMT: setTime,
  SITE: site,
  MLST: async (state, argument) => {
    const path = argument === '' ? state.folder : pathOf(state, argument)
    state.reply(250, ['Facts', ` ${factsOf(await fsOf(state).stat(path))} ${path}`, 'End'])
  },
  HASH: async (state, argument) => {
    const file = await fsOf(state).openRead(pathOf(state, argument))
    await file.close()
    state.reply(213, `BLAKE3 0-${file.size} ${file.hash} ${argument}`)
  },
}
