// Runs ffmpeg on untrusted files: one local file as its input, no other protocols, only the
// containers that buyers' files have, and limits of time and memory. It is optional.
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { PortError } from '../../../plugins/contract/index.ts'
import { ERRORS } from '../../core/errors.ts'
import { isProgram, placesOnPath } from '../../core/programs.ts'
import { OWN_GROUP } from './launch.ts'

let known: Promise<string | null> | undefined

/** The ffmpeg on the path, looked for once; null: none is installed. */
export const findFfmpeg = (): Promise<string | null> =>
  (known ??= firstFfmpeg(placesOnPath('ffmpeg')))

/** The first ffmpeg that starts. */
async function firstFfmpeg(places: readonly string[]): Promise<string | null> {
  for (const program of places.filter(isProgram)) {
    const said = await promisify(execFile)(program, ['-version'], { timeout: 10_000 }).catch(
      () => null,
    )
    if (said?.stdout.startsWith('ffmpeg version')) return program
  }
  return null
}

const CONTAINERS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,mp3,aac,flac,wav,aiff'
const FIXED = ['-nostdin', '-hide_banner', '-loglevel', 'error']
const INPUT = ['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS, '-threads', '1']
const MEMORY_KB = 1024 ** 2
const FILE_BLOCKS = 2 * 64 * 1024
const WALL_MS = 20_000
const MAX_KEPT = 4000

/**
 * Writes one frame of a video as a PNG image: the most typical of its first key frames. They cover
 * minutes, so that a film that begins black has a picture too.
 */
export const takeFrame = (
  program: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> =>
  runFfmpeg(
    program,
    [
      ...INPUT,
      '-skip_frame',
      'nokey',
      '-i',
      `file:${from}`,
      '-map',
      '0:v:0',
      '-frames:v',
      '1',
      '-vf',
      'thumbnail=12,scale=320:320:force_original_aspect_ratio=decrease',
      '-f',
      'image2',
      '-c:v',
      'png',
      '-protocol_whitelist',
      'file',
      `file:${to}`,
    ],
    signal,
  )

/**
 * Writes the first seconds of an audio file as MP3, without its tags and pictures. The end fades
 * out.
 */
export const takeBeginning = (
  program: string,
  from: string,
  to: string,
  seconds: number,
  signal: AbortSignal,
): Promise<void> =>
  runFfmpeg(
    program,
    [
      ...INPUT,
      '-t',
      String(seconds),
      '-i',
      `file:${from}`,
      '-map',
      '0:a:0',
      '-map_metadata',
      '-1',
      '-af',
      `afade=t=out:st=${Math.max(0, seconds - 2)}:d=2`,
      '-c:a',
      'libmp3lame',
      '-b:a',
      '128k',
      '-ac',
      '2',
      '-f',
      'mp3',
      '-protocol_whitelist',
      'file',
      `file:${to}`,
    ],
    signal,
  )

/** Throws `PortError` if ffmpeg cannot read the file, or takes too long, and the signal's reason. */
async function runFfmpeg(
  program: string,
  options: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const limits = `ulimit -c 0; ulimit -d ${MEMORY_KB} 2>/dev/null; ulimit -f ${FILE_BLOCKS} 2>/dev/null; exec "$@"`
  const child = spawn('/bin/sh', ['-c', limits, 'sh', program, ...FIXED, '-y', ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '' },
    ...OWN_GROUP,
  })
  let last = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    last = (last + text).slice(-MAX_KEPT)
  })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(WALL_MS)])
  const kill = () => child.kill('SIGKILL')
  stop.addEventListener('abort', kill, { once: true })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    if (stop.aborted) throw new PortError('time_limit', ERRORS.time_limit.message, false)
    if (code !== 0)
      throw new PortError('processor_crashed', ERRORS.processor_crashed.message, false, {
        cause: new Error(last),
      })
  } finally {
    stop.removeEventListener('abort', kill)
  }
}
