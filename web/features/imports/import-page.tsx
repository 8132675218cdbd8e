// The channels for files, each with what it is best for.
import { type ReactNode } from 'react'
import { Code } from '../../shell/components/copy.tsx'
import { Page } from '../../shell/components/page.tsx'
import { BlockStack, Button, Card, Heading, Hint, Link, Text } from '../../shell/ui/index.ts'
import { useUploading } from '../../shell/url-state/uploading.ts'
import { importCommand } from '../api/import-command.ts'
import './import.css'
import { t } from '../../shell/messages/t.ts'

export const ImportPage = () => (
  <Page title={t('Import')}>
    <BlockStack gap="400">
      <div className="ways">
        <UploadWay />
        <Way
          title={t('Import a CSV file')}
          best={t('Best for 50 to 500 files')}
          action={<Button url="/import/csv">{t('Choose a CSV file')}</Button>}
        >
          {t(
            'A table with one row per file: name, URL, product, tags and settings. Every row is checked before the import starts.',
          )}
        </Way>
        <Way
          title={t('Send files by FTP or SFTP')}
          best={t('Best for more than 500 files')}
          action={<Button url="/import/drop">{t('Open the drop folder')}</Button>}
        >
          {t(
            'Any FTP program sends files to your drop folder. They are imported every hour, in real time or by hand.',
          )}
        </Way>
        <Way
          title={t('Sync a cloud folder')}
          best={t('Best for files that keep changing')}
          action={<Button url="/import/connections">{t('See the connections')}</Button>}
        >
          {t(
            'Google Drive, Dropbox, OneDrive, Amazon S3, Google Cloud Storage or Azure Blob. New and changed files arrive automatically.',
          )}
        </Way>
        <OtherWays />
      </div>
      <ApiCard />
    </BlockStack>
  </Page>
)

const OtherWays = () => (
  <>
    <Way
      title={t('Import a table from an address')}
      best={t('Best for a list that a supplier or a Google Sheet keeps')}
      action={<Button url="/import/feeds">{t('See the feeds')}</Button>}
    >
      {t(
        'A CSV, XLSX or JSON at a URL, imported again on a schedule. Only rows that differ are carried out.',
      )}
    </Way>
    <Way
      title={t('Add a web link')}
      best={t('Best for a course, a form or another shop')}
      action={<Button url="/import/link">{t('Add a web link')}</Button>}
    >
      {t(
        'Buyers are sent to an address instead of getting a file. It is sold, limited, counted and withdrawn like a file.',
      )}
    </Way>
    <Way
      title={t('Move to Stevedore')}
      best={t('Best for files and buyers of another app')}
      action={<Button url="/import/move">{t('Choose an app')}</Button>}
    >
      {t(
        'Files, products, limits and past buyers from the export of another app, with a preview and an undo.',
      )}
    </Way>
  </>
)

function UploadWay() {
  const uploading = useUploading()
  return (
    <Way
      title={t('Upload from this computer')}
      best={t('Best for fewer than 50 files')}
      action={
        <Button variant="primary" url="/import/upload">
          {uploading > 0
            ? t('See {uploading, plural, one {# upload} other {# uploads}}', { uploading })
            : t('Upload files')}
        </Button>
      }
    >
      {t(
        'Drop a folder or choose files. You can pause an upload. It resumes where it stopped after a network failure or a restart.',
      )}
    </Way>
  )
}

const ApiCard = () => (
  <Card>
    <BlockStack gap="300">
      <BlockStack gap="100">
        <Heading>{t('Import over the API')}</Heading>
        <Hint>
          {t(
            'Best for more than 500 files and for programs. Insert your API key and file URLs, then run this in a terminal.',
          )}
        </Hint>
      </BlockStack>
      <Code what={t('import command')} text={importCommand(window.location.origin)} />
      <Text as="p">
        <Link url="/api/docs" target="_blank">
          {t('Read the API documentation')}
        </Link>
      </Text>
    </BlockStack>
  </Card>
)

interface WayProps {
  title: string
  best: string
  action: ReactNode
  children: ReactNode
}

function Way({ title, best, action, children }: WayProps) {
  return (
    <Card>
      <div className="way">
        <BlockStack gap="200">
          <Heading>{title}</Heading>
          <Text as="p">{children}</Text>
          <Hint>{best}</Hint>
        </BlockStack>
        <div>{action}</div>
      </div>
    </Card>
  )
}
