// The page of a record that does not exist.
import { type ReactNode } from 'react'
import { BlockStack, Card } from '../ui/index.ts'
import { Nothing } from './lists.tsx'
import { Page } from './page.tsx'

export interface MissingPageProps {
  title: string
  /** The page that lists such records. */
  back: { content: string; url: string }
  /** `This workflow doesn’t exist` */
  heading: string
  /** The button to the list. */
  action: string
  /** Why it may be gone. */
  hint?: string
  /** Shown above it. */
  news?: ReactNode
  fullWidth?: boolean
}

export const MissingPage = (props: MissingPageProps) => {
  const { title, back, heading, action, hint, news, fullWidth } = props
  return (
    <Page title={title} backAction={back} fullWidth={fullWidth}>
      <BlockStack gap="400">
        {news}
        <Card>
          <Nothing why="unmatched" heading={heading} action={{ content: action, url: back.url }}>
            {hint}
          </Nothing>
        </Card>
      </BlockStack>
    </Page>
  )
}
