// `npm ci` runs this last: downloads rclone for cloud connections with the command of rclone.js, if
// there is none. Without a network it ends within a minute and changes nothing; the page then says
// how to install rclone.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { findRclone, PACKAGED } from '../features/cloud/rclone/program.ts'

const VERSION = 'v1.75.1'
const WITHIN_MS = 60_000

const there = await findRclone(process.env.RCLONE_EXECUTABLE || null)
if (there.message !== null && PACKAGED !== null) {
  const manifest = createRequire(import.meta.url).resolve('rclone.js/package.json')
  const command = path.join(path.dirname(manifest), 'bin/rclone.js')
  // The package would run this program instead of downloading one.
  const env = { ...process.env }
  delete env.RCLONE_EXECUTABLE
  // An incomplete download of an earlier run would be taken for a program.
  rmSync(PACKAGED, { force: true })
  const arguments_ = [command, 'selfupdate', `--version=${VERSION}`]
  spawnSync(process.execPath, arguments_, { env, stdio: 'ignore', timeout: WITHIN_MS })
  const { version } = await findRclone(PACKAGED)
  if (version === null) rmSync(PACKAGED, { force: true })
  else process.stdout.write(`Cloud sync: downloaded rclone ${version}\n`)
}
