// In the admin, on selected products: creates a link to each of their files.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/admin.product-index.selection-action.render'
import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { callApp, reasonOf } from '../../call.ts'

declare const shopify: Api

/** The most files whose links the API creates within the call. */
const MAX_FILES = 100

interface FoundLinks {
  data: { id: string }[]
  next_cursor: string | null
}

export default function extension() {
  render(<ProductLinks />, document.body)
}

/** Null: the selection has more files. */
async function filesOfSelected(): Promise<string[] | null> {
  const files = new Set<string>()
  for (const { id } of shopify.data.selected) {
    const query = new URLSearchParams({ product: id, limit: String(MAX_FILES) })
    const found = await callApp<FoundLinks>(shopify, `/api/files?${query}`)
    found.data.forEach((file) => files.add(file.id))
    if (found.next_cursor !== null || files.size > MAX_FILES) return null
  }
  return [...files]
}

function ProductLinks() {
  const [files, setFiles] = useState<string[] | null | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const [made, setMade] = useState(false)
  const [told, setTold] = useState<{ text: string; tone: 'success' | 'critical' } | null>(null)
  const { i18n } = shopify
  const fail = useCallback((thrown: unknown) => {
    const reason = reasonOf(thrown) ?? shopify.i18n.translate('unreachable')
    setTold({ text: shopify.i18n.translate('failed', { reason }), tone: 'critical' })
  }, [])
  useEffect(() => void filesOfSelected().then(setFiles, fail), [fail])
  const create = async (file_ids: string[]) => {
    setBusy(true)
    try {
      const { data } = await callApp<{ data: object[] }>(shopify, '/api/links', {
        method: 'POST',
        body: { file_ids },
      })
      setTold({ text: i18n.translate('created', { count: data.length }), tone: 'success' })
      setFiles([])
      setMade(true)
    } catch (thrown) {
      fail(thrown)
    } finally {
      setBusy(false)
    }
  }
  const some = files && files.length > 0 ? files : null
  return (
    <s-admin-action heading={i18n.translate('heading')} loading={files === undefined && !told}>
      <s-stack gap="base">
        {told && <s-banner tone={told.tone}>{told.text}</s-banner>}
        {files === null && <s-text>{i18n.translate('tooMany', { most: MAX_FILES })}</s-text>}
        {made && <s-link href="app:links">{i18n.translate('open')}</s-link>}
        {files?.length === 0 && !told && <s-text>{i18n.translate('none')}</s-text>}
        {some && <s-text>{i18n.translate('found', { count: some.length })}</s-text>}
      </s-stack>
      {some && (
        <s-button
          slot="primary-action"
          variant="primary"
          loading={busy}
          onClick={() => void create(some)}
        >
          {i18n.translate('create')}
        </s-button>
      )}
      <s-button slot="secondary-actions" onClick={() => shopify.close()}>
        {i18n.translate('close')}
      </s-button>
    </s-admin-action>
  )
}
