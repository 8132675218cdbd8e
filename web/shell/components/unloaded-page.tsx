// The page of a record that is not loaded: placeholder rows, the error, or that it does not exist.
import { type ComponentProps } from 'react'
import { isMissing } from '../client/error.ts'
import { MissingPage, type MissingPageProps } from './missing-page.tsx'
import { Page } from './page.tsx'
import { Unloaded } from './unloaded.tsx'

interface Props extends Pick<ComponentProps<typeof Unloaded>, 'query' | 'what' | 'problem'> {
  title: string
  back: MissingPageProps['back']
  missing: Omit<MissingPageProps, 'back' | 'fullWidth'>
  fullWidth?: boolean
}

export const UnloadedPage = ({ title, back, missing, fullWidth, ...unloaded }: Props) =>
  isMissing(unloaded.query.error) ? (
    <MissingPage {...missing} back={back} fullWidth={fullWidth} />
  ) : (
    <Page title={title} backAction={back} fullWidth={fullWidth}>
      <Unloaded {...unloaded} rows={5} />
    </Page>
  )
