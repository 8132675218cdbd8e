// The bytes that a file has had: taken away, gone back to, or replaced by others.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import { type FileDetail } from '../../client/types.ts'
import { saveVersion, useReplaceFile, useRestoreVersion, useVersions, type Version } from '../../client/versions.ts'
import { Dialog } from '../../components/dialog.tsx'
import { LoadingRows } from '../../components/lists.tsx'
import { Problem } from '../../components/problem.tsx'
import { objectionsIn, problemsOf } from '../../components/problems.ts'
import { Badge, BlockStack, Box, Button, Card, InlineStack, Text, TextField } from '../../ui/index.ts'
import { sizeText } from '../../words/size.ts'
import { momentText } from '../../words/time.ts'

export function VersionsCard({ file }: { file: FileDetail }) {
  const versions = useVersions(file)
  const restore = useRestoreVersion(file.id)
  const [failed, setFailed] = useState<Error | null>(null)
  const [replacing, setReplacing] = useState(false)
  const list = versions.data?.data
  const save = (version: Version) => {
    setFailed(null)
    saveVersion(file.id, version).catch((error: unknown) => setFailed(error as Error))
  }
  const error = versions.error ?? restore.error ?? failed
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center">
          <Text as="h2" variant="headingMd">
            Versions
          </Text>
          <Button onClick={() => setReplacing(true)}>Replace file</Button>
        </InlineStack>
      </Box>
      {error && (
        <Box padding="400" paddingBlockStart="0">
          <Problem error={error} what="That could not be done" stale={list !== undefined} />
        </Box>
      )}
      {versions.isPending && <LoadingRows rows={1} what="versions" />}
      {list?.map((version) => (
        <Box
          key={version.number}
          paddingInline="400"
          paddingBlock="300"
          borderBlockStartWidth="025"
          borderColor="border-secondary"
        >
          <InlineStack align="space-between" blockAlign="center" gap="300">
            <BlockStack>
              <InlineStack gap="200" blockAlign="center">
                <Text as="span" fontWeight="medium">
                  {`Version ${version.number}`}
                </Text>
                {version.current && <Badge tone="success">Current</Badge>}
                {version.location !== 'primary' && <Badge>{`In ${version.location} storage`}</Badge>}
              </InlineStack>
              <Text as="span" variant="bodySm" tone="subdued" breakWord>
                {aboutText(version, file.filename)}
              </Text>
            </BlockStack>
            <InlineStack gap="200">
              <Button
                variant="plain"
                accessibilityLabel={`Download version ${version.number}`}
                onClick={() => save(version)}
              >
                Download
              </Button>
              {!version.current && (
                <Button
                  variant="plain"
                  loading={restore.isPending && restore.variables === version.number}
                  accessibilityLabel={`Go back to version ${version.number}`}
                  onClick={() =>
                    restore.mutate(version.number, {
                      onSuccess: () => toast(`Links give version ${version.number} from now on`),
                    })
                  }
                >
                  Go back to this
                </Button>
              )}
            </InlineStack>
          </InlineStack>
        </Box>
      ))}
      {replacing && <Replace file={file} onClose={() => setReplacing(false)} />}
    </Card>
  )
}

function aboutText(version: Version, filename: string): string {
  const name = version.filename === filename ? [] : [version.filename]
  const end = version.expires_at ? [`goes ${momentText(version.expires_at)}`] : []
  return [...name, sizeText(version.size_bytes), momentText(version.created_at), ...end].join(' · ')
}

function Replace({ file, onClose }: { file: FileDetail; onClose: () => void }) {
  const replace = useReplaceFile(file.id)
  const [url, setUrl] = useState('')
  const problem = problemsOf(objectionsIn(replace.error)).at('url')
  const submit = () =>
    replace.mutate(url.trim(), {
      onSuccess: () => {
        toast('The new version is on its way')
        onClose()
      },
    })
  return (
    <Dialog
      title={`Replace ${file.filename}`}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: 'Replace', onAction: submit, loading: replace.isPending, disabled: url.trim() === '' }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {replace.error && !problem && <Problem error={replace.error} what="The file could not be replaced" />}
      <TextField
        label="Address of the new bytes"
        type="url"
        autoComplete="off"
        autoFocus
        placeholder="https://cdn.example.com/guide.pdf"
        helpText="Links, products and settings stay. To send a file from this computer, upload one of the same name and choose New version."
        value={url}
        error={problem}
        onChange={(text) => {
          setUrl(text)
          replace.reset()
        }}
      />
    </Dialog>
  )
}
