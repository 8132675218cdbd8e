// The ways in for files, each with what it is best for.
import { type ReactNode } from 'react'
import { Code } from '../../components/copy.tsx'
import { Page } from '../../components/page.tsx'
import { BlockStack, Button, Card, Link, Text } from '../../ui/index.ts'
import { useUploading } from '../../url-state/uploading.ts'
import { importCommand } from '../../labels/import-command.ts'
import { countText } from '../../labels/size.ts'
import './import.css'

export function ImportPage() {
  const uploading = useUploading()
  return (
    <Page title="Import">
      <BlockStack gap="400">
        <div className="ways">
          <Way
            title="Upload from this computer"
            best="Best for fewer than 50 files"
            action={
              <Button variant="primary" url="/import/upload">
                {uploading > 0
                  ? `See ${countText(uploading, 'upload', 'uploads')}`
                  : 'Upload files'}
              </Button>
            }
          >
            Drop a folder or choose files. An upload can be paused, and goes on where it stopped
            after a lost network or a restart.
          </Way>
          <Way
            title="Import a CSV file"
            best="Best for 50 to 500 files"
            action={<Button url="/import/csv">Choose a CSV file</Button>}
          >
            A table with a row for each file: its name, the address to fetch it from, its product,
            tags and settings. All of it is checked before anything is imported.
          </Way>
        </div>
        <Card>
          <BlockStack gap="300">
            <BlockStack gap="100">
              <Text as="h2" variant="headingMd">
                Import over the API
              </Text>
              <Text as="p" tone="subdued">
                Best for more than 500 files, and for programs. Put your API key and your files’
                addresses in, then run this in a terminal.
              </Text>
            </BlockStack>
            <Code what="import command" text={importCommand(window.location.origin)} />
            <Text as="p">
              <Link url="/api/docs" target="_blank">
                Read the API’s documentation
              </Link>
            </Text>
          </BlockStack>
        </Card>
      </BlockStack>
    </Page>
  )
}

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
          <Text as="h2" variant="headingMd">
            {title}
          </Text>
          <Text as="p">{children}</Text>
          <Text as="p" tone="subdued">
            {best}
          </Text>
        </BlockStack>
        <div>{action}</div>
      </div>
    </Card>
  )
}
