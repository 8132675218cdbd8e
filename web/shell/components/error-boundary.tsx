// Catches an error that a page throws while it renders, so that the navigation to other pages keeps
// working. A part that could not be loaded is loaded with the whole page: React keeps the failure.
import { Component, type ReactNode } from 'react'
import { Banner, Page } from '../ui/index.ts'
import { t } from '../messages/t.ts'
import { isLoadError, reloadIfReached } from '../url-state/upgraded.ts'

interface State {
  error: Error | null
  /** The page is about to be loaded again. */
  reloading: boolean
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null, reloading: false }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  readonly #again = (isUnloaded: boolean): void => {
    if (!isUnloaded) return this.setState({ error: null })
    this.setState({ reloading: true })
    void reloadIfReached().finally(() => this.setState({ reloading: false }))
  }

  override render() {
    const { error, reloading } = this.state
    if (!error) return this.props.children
    const isUnloaded = isLoadError(error)
    return (
      <Page title={t('Something went wrong')}>
        <Banner
          tone="critical"
          title={t('This page could not be shown')}
          action={{
            content: t('Try again'),
            loading: reloading,
            onAction: () => this.#again(isUnloaded),
          }}
        >
          <p>
            {isUnloaded
              ? t('A part of it could not be loaded. Check your connection and try again.')
              : error.message}
          </p>
        </Banner>
      </Page>
    )
  }
}
