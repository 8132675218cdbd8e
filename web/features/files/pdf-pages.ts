// The number of pages of a PDF document, read in the browser before it is sent.

/** A larger document is not read for it. */
export const MOST_PDF_BYTES = 64 * 1024 ** 2

/**
 * The number of pages; null: not a PDF document, or it cannot be said. The root of the page tree
 * counts all pages, so its count is the largest of the tree's nodes. Since PDF 1.5 the nodes may
 * be in compressed object streams.
 */
export async function pdfPages(bytes: Uint8Array<ArrayBuffer>): Promise<number | null> {
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.slice(0, 1024).includes('%PDF-')) return null
  const counts = countsIn(text)
  for (const { start, end } of objectStreams(text))
    counts.push(...countsIn(await inflated(bytes.subarray(start, end))))
  return counts.length === 0 ? null : Math.max(...counts)
}

/** The counts of the nodes of the page tree. Their dictionary has `/Type /Pages` and `/Count`. */
const countsIn = (text: string): number[] =>
  [...text.matchAll(/\/Type\s*\/Pages\b/g)].flatMap(({ index }) => {
    const from = text.lastIndexOf('<<', index)
    const around = text.slice(Math.max(from, index - MOST_NODE), index + MOST_NODE)
    // The next object's count is none of this one.
    const [own = ''] = around.split(/endobj|\/Type\s*\/Page\b/)
    const [, count] = /\/Count\s+(\d{1,7})\b/.exec(own) ?? []
    return count === undefined ? [] : [Number(count)]
  })

/** A node lists its children: a few hundred references at most. */
const MOST_NODE = 20_000

function objectStreams(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/\/Type\s*\/ObjStm\b/g)].flatMap(({ index }) => {
    const word = text.indexOf('stream', index)
    const start = word + 'stream'.length + (text.startsWith('stream\r\n', word) ? 2 : 1)
    const end = text.indexOf('endstream', start)
    return word < 0 || end < 0 ? [] : [{ start, end }]
  })
}

/** The text of a compressed stream; '': it is encrypted, or compressed in another way. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
    let text = ''
    // The line break before `endstream` is behind the compressed data, which is an error at the end.
    const reader = stream.pipeThrough(new TextDecoderStream('latin1')).getReader()
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += part.value
    } catch {
      return text
    }
    return text
  } catch {
    return ''
  }
}
