// Checks fetched bytes before they become a file: refuses invalid files, and warns of likely
// mistakes. Every type of file is accepted.
import { z } from 'zod'
import { mismatchOf } from './contents.ts'
import { definePlugin, type Item, type Outcome, type Warning, type FileView } from '../contract.ts'

const MB = 1024 ** 2

/**
 * Fails with `empty_file` and `file_too_large`; warns with `large_file`, `web_page` and
 * `content_mismatch`. An unknown size is no error.
 */
export const validateFile = definePlugin({
  id: 'validate-file',
  kind: 'validate',
  title: 'Check files',
  options: z.strictObject({}),
  undo: 'none',
  async *plan(items, _, { limits, signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield checkFile(item, limits)
    }
  },
})

function checkFile(item: Item, limits: { file_bytes: number; large_file_bytes: number }): Outcome {
  const { size_bytes: size, content_type: type } = item.staged ?? item.file
  if (size === 0) return refusal(item, 'empty_file', 'The file is empty')
  if (size !== null && size > limits.file_bytes)
    return refusal(
      item,
      'file_too_large',
      'The file is larger than 5 GB: contact support to have larger files imported',
    )
  const warnings = [
    ...(size !== null && size > limits.large_file_bytes
      ? [largeFile(size, limits.large_file_bytes)]
      : []),
    ...contentWarnings(item.file, type, item.staged?.found_type),
  ]
  return { item: item.id, status: 'ok', ...(warnings.length > 0 ? { warnings } : {}) }
}

const refusal = (item: Item, code: string, message: string): Outcome => ({
  item: item.id,
  status: 'failed',
  code,
  message,
  retryable: false,
})

const largeFile = (size: number, recommended: number): Warning => ({
  code: 'large_file',
  message: `The file has ${Math.round(size / MB)} MB: up to ${Math.round(recommended / MB)} MB are recommended`,
})

const WEB_PAGE: Warning = {
  code: 'web_page',
  message: 'It is a web page: the address may have served a sign-in page instead of the file',
}

function contentWarnings(
  file: FileView,
  type: string | null,
  found: string | undefined,
): Warning[] {
  const mismatch = mismatchOf(file.filename, found)
  if (mismatch?.is === 'a web page' || (found === undefined && isUnexpectedPage(file, type)))
    return [WEB_PAGE]
  if (!mismatch) return []
  const message = `Its name ends in ${mismatch.not}, but it is ${mismatch.is}: check that it is the right file`
  return [{ code: 'content_mismatch', message }]
}

/** A web page instead of the expected file: servers send one to clients that are not signed in. */
function isUnexpectedPage({ filename }: FileView, type: string | null): boolean {
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type ?? '')) return false
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  return extension !== undefined && !['html', 'htm', 'xhtml'].includes(extension)
}
