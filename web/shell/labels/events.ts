// What starts workflows, in words.
import { t } from '../messages/t.ts'

/** The events that start workflows, as the end of a sentence that begins with “when”. */
export const EVENTS: ReadonlyMap<string, string> = new Map([
  ['file.imported', t('files were imported')],
  ['file.changed', t('files were changed')],
  ['file.replaced', t('files got new contents')],
  ['mapping.changed', t('files got other products')],
  ['file.released', t('files are released')],
  ['file.quarantined', t('files are put in quarantine')],
  ['file.trashed', t('files were moved to the trash')],
  ['link.exhausted', t('a link is used up')],
  ['link.refused', t('a download is refused')],
  ['buyer.asked', t('a buyer asks for more')],
  ['review.opened', t('files wait for a product to be chosen')],
  ['delivery.ready', t('a delivery is ready')],
  ['delivery.held', t('a delivery is held')],
  ['delivery.downloaded', t('a buyer downloads')],
  ['order.refunded', t('a buyer loses files, because an order was refunded')],
  ['sync.finished', t('a cloud folder was synchronised')],
  ['workflow.failed', t('files failed in a run of a workflow')],
])

export const eventText = (name: string | null): string => EVENTS.get(name ?? '') ?? name ?? ''
