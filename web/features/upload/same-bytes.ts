// Which of the chosen files have the bytes of a file in the shop, before anything is sent.
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { checkFiles, type OfferedFile, type ShopFile } from './calls.ts'

export interface SameFile {
  file: ChosenFile
  /** The shop's file that has these bytes. */
  as: ShopFile
}

/** Hashing a larger file would delay the others for too long. */
const MAX_COMPARED_BYTES = 500 * 1024 ** 2

export const isCompared = ({ data: { size } }: ChosenFile): boolean =>
  size > 0 && size <= MAX_COMPARED_BYTES

interface Watch {
  /** Ends the comparison, which then rejects. */
  signal: AbortSignal
  /** Called with the number of files whose digests are known. */
  onDone: (done: number) => void
}

/** Rejects if the worker cannot start, or the server does not answer. */
export async function findSame(
  files: readonly ChosenFile[],
  { signal, onDone }: Watch,
): Promise<SameFile[]> {
  const sums = startSums(signal)
  const hashed: { file: ChosenFile; offered: OfferedFile }[] = []
  try {
    for (const [at, file] of files.entries()) {
      onDone(at)
      const { name: filename, size: size_bytes } = file.data
      const sha256 = await sums.of(file.data)
      if (sha256 !== null) hashed.push({ file, offered: { filename, size_bytes, sha256 } })
    }
    const offered = hashed.map((one) => one.offered)
    const found = await checkFiles(offered, signal)
    return hashed.flatMap(({ file }, at) => {
      const as = found[at]?.same_bytes_as
      return as ? [{ file, as }] : []
    })
  } finally {
    sums.end()
  }
}

/** Digests of one file after the other. */
function startSums(signal: AbortSignal) {
  const worker = new Worker(new URL('./sums-worker.ts', import.meta.url), { type: 'module' })
  return {
    /** Null: the file cannot be read. */
    of: (file: File) =>
      new Promise<string | null>((resolve, reject) => {
        signal.throwIfAborted()
        signal.onabort = () => reject(signal.reason as Error)
        worker.onerror = () => reject(new Error('The worker has failed'))
        worker.onmessage = ({ data }: MessageEvent<string | null>) => resolve(data)
        worker.postMessage(file)
      }),
    end: () => worker.terminate(),
  }
}
