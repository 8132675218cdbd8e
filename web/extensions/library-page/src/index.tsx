// A page in the customer's account that opens all downloads of the customer.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/customer-account.page.render'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

declare const shopify: Api

/** `request`: the page at `url` sends a mail with the link. `off`: the shop offers no libraries. */
type State =
  | { status: 'loading' | 'off' | 'failed'; url?: undefined }
  | { status: 'open' | 'request'; url: string }

export default function extension() {
  render(<LibraryPage />, document.body)
}

function LibraryPage() {
  const [state, setState] = useState<State>({ status: 'loading' })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const stopped = new AbortController()
    setState({ status: 'loading' })
    void ask(stopped.signal).then((answer) => {
      if (!stopped.signal.aborted) setState(answer)
    })
    return () => stopped.abort()
  }, [asked])
  return (
    <s-page heading={shopify.i18n.translate('heading')}>
      <s-section>
        <Content state={state} onRetry={() => setAsked(asked + 1)} />
      </s-section>
    </s-page>
  )
}

function Content({ state, onRetry }: { state: State; onRetry: () => void }) {
  const { translate } = shopify.i18n
  if (state.status === 'loading') return <s-spinner accessibilityLabel={translate('loading')} />
  if (state.status === 'off') return <s-text>{translate('off')}</s-text>
  return (
    <s-stack gap="base">
      <s-text>{translate(state.status)}</s-text>
      {state.url === undefined ? (
        <s-button onClick={onRetry}>{translate('retry')}</s-button>
      ) : (
        <s-button href={state.url} target="_blank" variant="primary">
          {translate(state.status === 'open' ? 'openButton' : 'requestButton')}
        </s-button>
      )}
    </s-stack>
  )
}

async function ask(signal: AbortSignal): Promise<State> {
  try {
    const response = await fetch(`${process.env.APP_URL}/extensions/library`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await shopify.sessionToken.get()}` },
      signal,
    })
    return response.ok ? ((await response.json()) as State) : { status: 'failed' }
  } catch {
    return { status: 'failed' }
  }
}
