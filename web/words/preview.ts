// How the three parts of a preview read: what would be done, what would fail, what would be left alone.
import { type Operation } from '../client/types.ts'
import { countText } from './size.ts'

export type PreviewPart = 'done' | 'failed' | 'skipped'
export const PREVIEW_PARTS: readonly PreviewPart[] = ['done', 'failed', 'skipped']

const USUAL: Record<PreviewPart, string> = {
  done: 'would be changed',
  failed: 'would fail',
  skipped: 'would be skipped',
}
const OWN: Record<string, Partial<Record<PreviewPart, string>>> = {
  'delete-files': { done: 'would be moved to the trash' },
  'map-products': { done: 'matched', skipped: 'not matched' },
  'unmap-products': { done: 'would lose their products' },
  'create-links': { done: 'would get a link' },
}

/** `12 files would be changed` */
export function previewText({ action }: Pick<Operation, 'action'>, part: PreviewPart, count: number): string {
  return `${countText(count, 'file', 'files')} ${OWN[action]?.[part] ?? USUAL[part]}`
}
