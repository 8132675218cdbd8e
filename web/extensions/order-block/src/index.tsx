// In the admin, on an order: its delivery, and the merchant's actions on it.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/admin.order-details.block.render'
import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { callApp, reasonOf } from '../../call.ts'

declare const shopify: Api

type Status = 'ready' | 'held' | 'withdrawn' | 'revoked'
interface Delivery {
  id: string
  status: Status
  reason: string | null
  email: string | null
  files: number
  downloads: number
  asked: { message: string | null } | null
}
type Action = 'resend' | 'extend' | 'grant' | 'release' | 'hold' | 'revoke'

const EXTENDED_DAYS = 30
const GRANTED_DOWNLOADS = 3
const TONES = {
  ready: 'success',
  held: 'warning',
  withdrawn: 'neutral',
  revoked: 'critical',
} as const

export default function extension() {
  render(<OrderBlock />, document.body)
}

function OrderBlock() {
  const [delivery, setDelivery] = useState<Delivery | null | undefined>(undefined)
  const [error, setError] = useState<{ reason: string | null } | null>(null)
  const load = useCallback(async () => {
    setError(null)
    const order = encodeURIComponent(shopify.data.selected[0]?.id ?? '')
    try {
      const { data } = await callApp<{ data: Delivery[] }>(
        shopify,
        `/api/deliveries?order=${order}`,
      )
      setDelivery(data[0] ?? null)
    } catch (thrown) {
      setError({ reason: reasonOf(thrown) })
    }
  }, [])
  useEffect(() => void load(), [load])
  const { i18n } = shopify
  return (
    <s-admin-block heading={i18n.translate('name')}>
      {error ? (
        <s-stack gap="base">
          <s-banner tone="critical">
            {i18n.translate('failed', { reason: error.reason ?? i18n.translate('unreachable') })}
          </s-banner>
          <s-button onClick={() => void load()}>{i18n.translate('retry')}</s-button>
        </s-stack>
      ) : delivery === undefined ? (
        <s-spinner accessibilityLabel={i18n.translate('loading')} />
      ) : delivery === null ? (
        <s-text>{i18n.translate('none')}</s-text>
      ) : (
        <Shown delivery={delivery} onChange={setDelivery} />
      )}
    </s-admin-block>
  )
}

/** Actions that change the terms. */
const TERMS: Partial<Record<Action, object>> = {
  extend: { expiry_days: EXTENDED_DAYS },
  grant: { more_downloads: GRANTED_DOWNLOADS },
}

function call(id: string, action: Action): Promise<Delivery> {
  const body = TERMS[action]
  return body
    ? callApp(shopify, `/api/deliveries/${id}`, { method: 'PATCH', body })
    : callApp(shopify, `/api/deliveries/${id}/${action}`, { method: 'POST' })
}

const ACTIONS: Readonly<Record<Status, readonly Action[]>> = {
  ready: ['resend', 'extend', 'grant', 'hold', 'revoke'],
  held: ['release', 'extend', 'grant', 'revoke'],
  withdrawn: [],
  revoked: [],
}

interface ShownProps {
  delivery: Delivery
  onChange: (to: Delivery) => void
}

/** The actions on a delivery, which one is running, and what the last one said. */
function useActions({ delivery: { id }, onChange }: ShownProps) {
  const [busy, setBusy] = useState<Action | null>(null)
  const [told, setTold] = useState<{ text: string; tone: 'success' | 'critical' } | null>(null)
  const [asking, setAsking] = useState(false)
  const { i18n } = shopify
  const act = async (action: Action) => {
    setBusy(action)
    setAsking(false)
    try {
      onChange(await call(id, action))
      setTold({ text: i18n.translate(`done.${action}`), tone: 'success' })
    } catch (thrown) {
      const why = reasonOf(thrown) ?? i18n.translate('unreachable')
      setTold({ text: i18n.translate('refused', { reason: why }), tone: 'critical' })
    } finally {
      setBusy(null)
    }
  }
  return { busy, told, asking, setAsking, act }
}

function Shown(props: ShownProps) {
  const { busy, told, asking, setAsking, act } = useActions(props)
  const { i18n } = shopify
  const { id, status, reason, email, files, downloads, asked } = props.delivery
  const offered = ACTIONS[status].filter((action) => action !== 'resend' || email !== null)
  return (
    <s-stack gap="base">
      <s-stack direction="inline" gap="small">
        <s-badge tone={TONES[status]}>{i18n.translate(`status.${status}`)}</s-badge>
        <s-text>{i18n.translate('files', { count: files })}</s-text>
        <s-text>{i18n.translate('downloads', { count: downloads })}</s-text>
      </s-stack>
      <s-text>
        {email === null ? i18n.translate('noEmail') : i18n.translate('to', { email })}
      </s-text>
      {reason !== null && <s-text>{reason}</s-text>}
      {asked && (
        <s-banner tone="warning">
          {asked.message === null
            ? i18n.translate('asked')
            : i18n.translate('askedWith', { message: asked.message })}
        </s-banner>
      )}
      {told && <s-banner tone={told.tone}>{told.text}</s-banner>}
      {asking ? (
        <s-stack direction="inline" gap="small">
          <s-text>{i18n.translate('confirmRevoke')}</s-text>
          <s-button tone="critical" onClick={() => void act('revoke')}>
            {i18n.translate('revoke')}
          </s-button>
          <s-button onClick={() => setAsking(false)}>{i18n.translate('keep')}</s-button>
        </s-stack>
      ) : (
        <s-stack direction="inline" gap="small">
          {offered.map((action) => (
            <s-button
              key={action}
              loading={busy === action}
              disabled={busy !== null}
              tone={action === 'revoke' ? 'critical' : 'auto'}
              onClick={() => (action === 'revoke' ? setAsking(true) : void act(action))}
            >
              {i18n.translate(action)}
            </s-button>
          ))}
        </s-stack>
      )}
      <s-link href={`app:deliveries/${id}`}>{i18n.translate('open')}</s-link>
    </s-stack>
  )
}
