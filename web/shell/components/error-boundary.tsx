// Catches an error that a page throws while it renders, so that the navigation to other pages keeps
// working.
import { Component, type ReactNode } from 'react'
import { Banner, Page } from '../ui/index.ts'
import { t } from '../messages/t.ts'

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    if (!this.state.error) return this.props.children
    return (
      <Page title={t('Something went wrong')}>
        <Banner
          tone="critical"
          title={t('This page could not be shown')}
          action={{ content: t('Try again'), onAction: () => this.setState({ error: null }) }}
        >
          <p>{this.state.error.message}</p>
        </Banner>
      </Page>
    )
  }
}
