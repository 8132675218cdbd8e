// Makes a document smaller: recompresses pictures if that saves enough, compresses streams, and
// linearizes it.
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Warning } from '../contract.ts'
import { isOutOfMemory, say, sayPlain } from '../sandbox.ts'
import { readClaims } from './claims.ts'
import { RESULT, writeResult } from './finish.ts'
import { writeChanges } from './changes.ts'
import { idOf, readObjects } from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import { madeSmaller, picturesOf, type Picture, type SmallerPicture } from './pictures.ts'
import { HERE } from './qpdf.ts'
import type { OptimizeTask } from './tasks.ts'

export type OptimizeResult = { unchanged: string } | { warnings: Warning[] }

// The part of the time limit for reading pictures; the rest is for writing.
const PICTURES_MS = 30_000
// Recompressing other streams costs time and saves little: not for documents above this size.
const REPACKED_BYTES = 4 * 1024 ** 2
// A linearized result may be larger than the original by this factor.
const LINEARIZED = 1.05

/** Makes the document smaller, or says why it stays unchanged. Throws `Refusal` `pdf_damaged`. */
export async function optimizeDocument(
  opened: OpenedDocument,
  task: OptimizeTask,
): Promise<OptimizeResult> {
  if (opened.signed)
    return { unchanged: sayPlain('It is signed: any change would break its signature') }
  const { folder } = task
  const pictures = await writePictures(opened, task)
  const { isOld } = await readClaims(folder, opened)
  const before = (await stat(path.join(folder, 'in.pdf'))).size
  const repack = before - pictures.bytes < REPACKED_BYTES
  await writeResult(folder, opened, [
    `${HERE}/${opened.file}`,
    ...(await writeChanges(folder, pictures.changes)),
    `--object-streams=${isOld ? 'disable' : 'generate'}`,
    ...(repack ? ['--recompress-flate', '--compression-level=9'] : []),
    ...(task.linearize || opened.linearized ? ['--linearize'] : []),
  ])
  const after = (await stat(path.join(folder, RESULT))).size
  const wasWanted = task.linearize && !opened.linearized
  // A repaired document may be larger than the damaged one.
  if (!opened.repaired && after >= before * (wasWanted ? LINEARIZED : 1))
    return { unchanged: sayPlain('It would not become smaller') }
  return { warnings: pictures.left > 0 ? [PICTURES_LEFT] : [] }
}

const PICTURES_LEFT: Warning = {
  code: 'pictures_left',
  message: say(
    'It has too many images to optimize in the time allowed: the smaller ones are unchanged',
  ),
}

/** Writes the reduced pictures next to the document, and returns the changes for qpdf. */
async function writePictures(opened: OpenedDocument, task: OptimizeTask) {
  const { folder } = task
  const pictures = picturesOf(await readObjects(folder, opened)).sort((a, b) => b.bytes - a.bytes)
  const changes: Record<string, unknown> = {}
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0)
  if (pictures.length === 0) return { changes, bytes, left: 0 }
  const ids = pictures.map(({ reference }) => idOf(reference))
  await readObjects(folder, opened, ids, [
    '--json-stream-data=file',
    `--json-stream-prefix=${HERE}/picture`,
  ])
  const until = performance.now() + PICTURES_MS
  for (const [at, picture] of pictures.entries()) {
    if (performance.now() > until) return { changes, bytes, left: pictures.length - at }
    const number = parseInt(picture.reference)
    const smaller = await smallerOrNot(
      picture,
      await readFile(path.join(folder, `picture-${number}`)),
      task,
    )
    if (smaller === null) continue
    await writeFile(path.join(folder, `smaller-${number}`), smaller.bytes)
    changes[`obj:${picture.reference}`] = {
      stream: { datafile: `${HERE}/smaller-${number}`, dict: dictionaryOf(picture, smaller) },
    }
  }
  return { changes, bytes, left: 0 }
}

/** An unreadable picture stays unchanged. */
async function smallerOrNot(
  picture: Picture,
  bytes: Buffer,
  task: OptimizeTask,
): Promise<SmallerPicture | null> {
  try {
    return await madeSmaller(picture, bytes, task)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    return null
  }
}

/** Everything except the bytes stays: colours, masks, position. */
function dictionaryOf({ dictionary }: Picture, { width, height }: SmallerPicture) {
  const kept = Object.entries(dictionary).filter(
    ([name]) => name !== '/DecodeParms' && name !== '/Length',
  )
  return {
    ...Object.fromEntries(kept),
    '/Filter': '/DCTDecode',
    '/Width': width,
    '/Height': height,
  }
}
