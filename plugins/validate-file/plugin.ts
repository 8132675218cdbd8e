// Checks fetched bytes before they become a file: refuses invalid files, and warns of likely
// mistakes. Every type of file is accepted.
import { z } from 'zod'
import mime from 'mime-types'
import {
  definePlugin,
  hasExtension,
  isLinkName,
  NAME_CLEANED,
  pageAdvice,
  sizeProblem,
  type Item,
  type Outcome,
  type StagedBlob,
  type Warning,
  type FileView,
  say,
  sentences,
  type Text,
  type AnyText,
  ownValue,
} from '../contract/index.ts'
import { mismatchOf, isUnexpectedPage, isUnnamedPage } from './pages.ts'

const MB = 1024 ** 2

const options = z.strictObject({
  web_pages: z.enum(['refuse', 'warn']).default('refuse').meta({
    title: 'Web pages',
    help: 'What happens to a web page whose name is that of another file: hosts answer with one where they want a sign-in.',
  }),
})
type Options = z.output<typeof options>

/**
 * Items fail with `empty_file`, `file_too_large`, `web_page` and `invalid_url` (a link without an address), and get the warnings `large_file`,
 * `content_mismatch`, `no_extension`, `cut_off` and `name_cleaned`. An unknown size is no error.
 */
export const validateFile = definePlugin({
  id: 'validate-file',
  kind: 'validate',
  title: 'Check files',
  options,
  undo: 'none',
  async *plan(items, { web_pages }: Options, { limits, signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield checkFile(item, limits, web_pages)
    }
  },
})

function checkFile(
  item: Item,
  limits: { file_bytes: number; large_file_bytes: number },
  webPages: Options['web_pages'],
): Outcome {
  const { size_bytes: size, content_type: type } = item.staged ?? item.file
  const wrongSize = sizeProblem(size, limits)
  if (wrongSize) return { item: item.id, ...wrongSize }
  if (item.staged && isLinkName(item.file.filename)) return checkLink(item, item.staged)
  const found = item.staged?.found_type
  const isPage = isUnexpectedPage(item.file.filename, type, found)
  if (isPage && webPages === 'refuse') return refusal(item, 'web_page', pageMessage(item))
  const warnings = [
    ...(item.entry?.name_cleaned ? [{ code: 'name_cleaned', message: NAME_CLEANED }] : []),
    ...(size !== null && size > limits.large_file_bytes
      ? [largeFile(size, limits.large_file_bytes)]
      : []),
    ...(isPage || (item.entry?.source.type === 'url' && isUnnamedPage(item.file.filename, found))
      ? [{ code: 'web_page', message: pageMessage(item) }]
      : contentWarnings(item.file, found)),
    ...(item.staged?.cut_off ? [CUT_OFF] : []),
  ]
  return { item: item.id, status: 'ok', ...(warnings.length > 0 ? { warnings } : {}) }
}

/** A link is small, and its name says enough. */
const checkLink = (item: Item, { link_url: address, present }: StagedBlob): Outcome =>
  address === undefined && !present
    ? refusal(
        item,
        'invalid_url',
        say(
          'Its name ends in .url, but it has no http or https address that buyers could be sent to',
        ),
      )
    : {
        item: item.id,
        status: 'ok',
        ...(item.entry?.name_cleaned
          ? { warnings: [{ code: 'name_cleaned', message: NAME_CLEANED }] }
          : {}),
      }

const CUT_OFF: Warning = {
  code: 'cut_off',
  message: say(
    'It seems to be cut off: its end is missing. Open it, and send it again if it is damaged',
  ),
}

const refusal = (item: Item, code: string, message: AnyText): Outcome => ({
  item: item.id,
  status: 'failed',
  code,
  message,
  retryable: false,
})

const largeFile = (size: number, recommended: number): Warning => ({
  code: 'large_file',
  message: say('The file has {size} MB: up to {most} MB are recommended', {
    size: String(Math.round(size / MB)),
    most: String(Math.round(recommended / MB)),
  }),
})

function pageMessage({ entry, file, staged }: Item): Text {
  const url = entry?.source.type === 'url' ? entry.source.url : null
  const kind = mismatchOf(file.filename, staged?.found_type)?.kind
  if (kind === 'message' || kind === 'text')
    return sentences(
      kind === 'text'
        ? say('It is text instead of the file.')
        : say('It is a message of a server (JSON or XML) instead of the file.'),
      url === null
        ? say('Open it in a text editor to read it')
        : say('Open the address in a browser: it may have expired, or need a sign-in'),
    )
  const advice = url === null ? say('Save the file again from where it came') : pageAdvice(url)
  return sentences(say('It is a web page instead of the file.'), advice)
}

function contentWarnings(file: FileView, found: string | undefined): Warning[] {
  if (found !== undefined && !hasExtension(file.filename))
    return extensionWarnings(file.filename, found)
  const mismatch = mismatchOf(file.filename, found)
  if (!mismatch) return []
  const message = say(
    'Its name ends in {extension}, but it is {what}: check that it is the right file',
    { extension: mismatch.not, what: mismatch.is },
  )
  return [{ code: 'content_mismatch', message }]
}

/** Extensions that people know, where the list of media types begins with another one. */
const USUAL: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
}

/** Formats of many programs, each of which has its own extension: `Sketch.my-format`. */
const CONTAINERS = new Set(['application/zip', 'application/x-cfb'])
const OWN_EXTENSION = /\.[0-9]*\p{L}[^\s.]*$/u

/** A device opens a download by the end of its name. Text may have none: `LICENSE`. */
function extensionWarnings(filename: string, found: string): Warning[] {
  const extension = ownValue(USUAL, found) ?? mime.extension(found)
  if (extension === false || isText(found)) return []
  if (CONTAINERS.has(found) && OWN_EXTENSION.test(filename)) return []
  const message = say(
    'Its name has no extension: rename it to end in .{extension}, or buyers may not be able to open it',
    { extension },
  )
  return [{ code: 'no_extension', message }]
}

const isText = (type: string) => /^text\/|^application\/(json|xml)$/.test(type)
