// In the admin, on a product: its files, and a way to attach another one.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/admin.product-details.block.render'
import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { callApp, CallError, reasonOf } from '../../call.ts'

declare const shopify: Api

interface File {
  id: string
  filename: string
  size_bytes: number
}
interface FoundFiles {
  data: File[]
  total: number
}

const SHOWN = 10
const KILOBYTE = 1024
const MEGABYTE = 1024 ** 2

export default function extension() {
  render(<ProductBlock />, document.body)
}

const productOf = () => shopify.data.selected[0]?.id ?? ''
const search = (query: Record<string, string>): Promise<FoundFiles> =>
  callApp(shopify, `/api/files?${new URLSearchParams({ limit: String(SHOWN), ...query })}`)

function ProductBlock() {
  const [files, setFiles] = useState<FoundFiles | null>(null)
  const [error, setError] = useState<{ reason: string | null } | null>(null)
  const load = useCallback(async () => {
    setError(null)
    try {
      setFiles(await search({ product: productOf() }))
    } catch (thrown) {
      setError({ reason: reasonOf(thrown) })
    }
  }, [])
  useEffect(() => void load(), [load])
  const { i18n } = shopify
  return (
    <s-admin-block heading={i18n.translate('name')}>
      <s-stack gap="base">
        {error && (
          <>
            <s-banner tone="critical">
              {i18n.translate('failed', { reason: error.reason ?? i18n.translate('unreachable') })}
            </s-banner>
            <s-button onClick={() => void load()}>{i18n.translate('retry')}</s-button>
          </>
        )}
        {!files && !error && <s-spinner accessibilityLabel={i18n.translate('loading')} />}
        {files && (
          <>
            {files.total === 0 && <s-text>{i18n.translate('none')}</s-text>}
            {files.data.map((file) => (
              <s-text key={file.id}>{`${file.filename} · ${sizeText(file)}`}</s-text>
            ))}
            {files.total > files.data.length && (
              <s-text>{i18n.translate('more', { count: files.total - files.data.length })}</s-text>
            )}
            <Attach onAttached={() => void load()} />
          </>
        )}
      </s-stack>
    </s-admin-block>
  )
}

function sizeText({ size_bytes: size }: File): string {
  const { i18n } = shopify
  const large = size >= MEGABYTE
  const figure = large ? Math.round((size / MEGABYTE) * 10) / 10 : Math.ceil(size / KILOBYTE)
  return i18n.translate(large ? 'size' : 'smallSize', { size: i18n.formatNumber(figure) })
}

const ENDED = ['success', 'partial', 'failed', 'cancelled']
const ASK_EVERY_MS = 500
const MAX_ASKS = 60

/** Attaching is an operation, as everywhere in the app: history shows it, and it can be undone. */
async function runOnFile(file: string): Promise<void> {
  let operation = await callApp<{ id: string; status: string }>(shopify, '/api/operations', {
    method: 'POST',
    body: {
      action: 'map-products',
      select: { file_ids: [file] },
      options: { product_id: productOf() },
    },
  })
  for (let asked = 0; asked < MAX_ASKS && !ENDED.includes(operation.status); asked++) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
    operation = await callApp(shopify, `/api/operations/${operation.id}`)
  }
  if (operation.status !== 'success') throw new CallError(shopify.i18n.translate('notAttached'))
}

function Attach({ onAttached }: { onAttached: () => void }) {
  const [name, setName] = useState('')
  const [found, setFound] = useState<FoundFiles | null>(null)
  const [told, setTold] = useState<{ text: string; tone: 'success' | 'critical' } | null>(null)
  const { i18n } = shopify
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (thrown) {
      const reason = reasonOf(thrown) ?? i18n.translate('unreachable')
      setTold({ text: i18n.translate('refused', { reason }), tone: 'critical' })
    }
  }
  const find = () => guarded(async () => setFound(await search({ search: name })))
  const attach = ({ id, filename }: File) =>
    guarded(async () => {
      await runOnFile(id)
      setTold({ text: i18n.translate('attached', { name: filename }), tone: 'success' })
      setFound(null)
      onAttached()
    })
  return (
    <s-stack gap="small">
      {told && <s-banner tone={told.tone}>{told.text}</s-banner>}
      <s-search-field
        label={i18n.translate('search')}
        value={name}
        onInput={(event) => setName(event.currentTarget.value ?? '')}
      />
      <s-button disabled={name.trim() === ''} onClick={() => void find()}>
        {i18n.translate('find')}
      </s-button>
      {found?.data.length === 0 && <s-text>{i18n.translate('nothing')}</s-text>}
      {found?.data.map((file) => (
        <s-stack key={file.id} direction="inline" gap="small">
          <s-text>{file.filename}</s-text>
          <s-button onClick={() => void attach(file)}>{i18n.translate('attachThis')}</s-button>
        </s-stack>
      ))}
    </s-stack>
  )
}
