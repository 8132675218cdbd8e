// The button that opens the view of a file, beside its download.
import type { PageButton } from './pages.ts'
import type { FileTarget } from './targets.ts'
import type { Translator, MessageKey } from './translate.ts'
import { offeredView, type ViewKind } from '../../files/view-kinds.ts'

const TEXTS: Readonly<Record<ViewKind, readonly [text: MessageKey, named: MessageKey]>> = {
  image: ['view.open', 'view.openNamed'],
  audio: ['view.play', 'view.playNamed'],
  video: ['view.play', 'view.playNamed'],
  document: ['view.read', 'view.readNamed'],
}

/**
 * Null: the file is not viewed. A view that is counted needs a POST, which no program that follows
 * links sends.
 */
export function viewButtonOf(
  t: Translator,
  file: Pick<FileTarget, 'filename' | 'contentType' | 'view'>,
  { address, counted }: { address: string; counted: boolean },
): PageButton | null {
  const kind = offeredView(file)
  if (kind === null) return null
  const [text, named] = TEXTS[kind]
  const texts = { text: t(text), named: t(named, { filename: file.filename }) }
  return { address, ...texts, post: counted }
}
