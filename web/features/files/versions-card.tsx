// A file's versions: downloaded, restored, or replaced by a new one.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import type { FileDetail } from '../../shell/client/types.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  InlineStack,
  Text,
  Banner,
  Link,
  TextField,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { tRich } from '../../shell/messages/rich.ts'
import {
  saveVersion,
  useRestoreVersion,
  useVersions,
  type Version,
  type ReplaceResult,
  useReplaceFile,
} from './version-calls.ts'

export function VersionsCard({ file }: { file: FileDetail }) {
  const versions = useVersions(file)
  const restore = useRestoreVersion(file.id)
  const [failed, setFailed] = useState<Error | null>(null)
  const [replacing, setReplacing] = useState(false)
  const list = versions.data?.data
  const save = (version: Version) => {
    setFailed(null)
    restore.reset()
    saveVersion(file.id, version).catch((error: unknown) => setFailed(error as Error))
  }
  const error = restore.error ?? failed
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center">
          <Heading>{t('Versions')}</Heading>
          <Button onClick={() => setReplacing(true)}>{t('Replace file')}</Button>
        </InlineStack>
      </Box>
      {(versions.error ?? error) && (
        <Box padding="400" paddingBlockStart="0">
          <BlockStack gap="200">
            <LoadProblem query={versions} what={t('The versions could not be loaded')} />
            {error && <Problem error={error} what={t('That could not be done')} />}
          </BlockStack>
        </Box>
      )}
      {versions.isPending && <LoadingRows rows={1} what={t('versions')} />}
      {list?.map((version) => (
        <VersionRow
          key={version.number}
          version={version}
          filename={file.filename}
          restore={restore}
          onRestore={() => setFailed(null)}
          onSave={() => save(version)}
        />
      ))}
      {replacing && <ReplaceFile file={file} onClose={() => setReplacing(false)} />}
    </Card>
  )
}

interface RowProps {
  version: Version
  /** The current name of the file. */
  filename: string
  restore: ReturnType<typeof useRestoreVersion>
  onRestore: () => void
  onSave: () => void
}

function VersionRow({ version, filename, restore, onRestore, onSave }: RowProps) {
  const { number, current, location } = version
  return (
    <Box
      paddingInline="400"
      paddingBlock="300"
      borderBlockStartWidth="025"
      borderColor="border-secondary"
    >
      <InlineStack align="space-between" blockAlign="center" gap="300">
        <BlockStack>
          <InlineStack align="start" gap="200" blockAlign="center">
            <Text as="span" fontWeight="medium">
              {t('Version {number}', { number })}
            </Text>
            {current && <Badge tone="success">{t('Current')}</Badge>}
            {location !== 'primary' && <Badge>{t('In {location} storage', { location })}</Badge>}
          </InlineStack>
          <Text as="span" variant="bodySm" tone="subdued" breakWord>
            {aboutText(version, filename)}
          </Text>
        </BlockStack>
        <InlineStack gap="200">
          <Button
            variant="plain"
            accessibilityLabel={t('Download version {number}', { number })}
            onClick={onSave}
          >
            {t('Download')}
          </Button>
          {!current && (
            <Button
              variant="plain"
              loading={restore.isPending && restore.variables === number}
              accessibilityLabel={t('Restore version {number}', { number })}
              onClick={() => {
                onRestore()
                restore.mutate(number, {
                  onSuccess: () => toast(t('Links now deliver version {number}', { number })),
                })
              }}
            >
              {t('Restore')}
            </Button>
          )}
        </InlineStack>
      </InlineStack>
    </Box>
  )
}

function aboutText(version: Version, filename: string): string {
  const name = version.filename === filename ? [] : [version.filename]
  const end = version.expires_at
    ? [t('deleted {time}', { time: momentText(version.expires_at) })]
    : []
  return [...name, sizeText(version.size_bytes), momentText(version.created_at), ...end].join(' · ')
}

// The dialog that replaces a file's bytes from an address, and shows the result.

interface Props {
  file: FileDetail
  onClose: () => void
}

function ReplaceFile({ file, onClose }: Props) {
  const replace = useReplaceFile(file.id)
  const [url, setUrl] = useState('')
  const problem = problemsOf(objectionsIn(replace.error)).at('url')
  const submit = () => {
    if (url.trim() === '' || replace.isPending) return
    replace.mutate(url.trim(), {
      onSuccess: (replaced) => {
        if (!isReplaced(replaced)) return
        toast(
          replaced.unchanged > 0
            ? t('The file has the same bytes already')
            : t('The file was replaced'),
        )
        onClose()
      },
    })
  }
  if (replace.data?.status === 'processing')
    return <GoingOn file={file} replaced={replace.data} onClose={onClose} />
  return (
    <Dialog
      title={titleOf(file)}
      onClose={onClose}
      onEnter={submit}
      why={url.trim() === '' ? t('Enter an address first.') : null}
      primaryAction={{
        content: t('Replace'),
        onAction: submit,
        loading: replace.isPending,
      }}
    >
      {replace.error && !problem && (
        <Problem error={replace.error} what={t('The file could not be replaced')} />
      )}
      {replace.data && !isReplaced(replace.data) && <NotReplaced replaced={replace.data} />}
      <TextField
        label={t('URL of the new file')}
        type="url"
        autoFocus
        placeholder={t('https://cdn.example.com/guide.pdf')}
        helpText={t(
          'Links, products and settings do not change. To use a file from this computer, upload a file with the same name and choose Add as a new version.',
        )}
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

/** The file has the bytes of the address now, whether it had them before or not. */
const isReplaced = ({ files }: ReplaceResult) =>
  files[0]?.status === 'imported' || files[0]?.status === 'unchanged'
const titleOf = ({ filename }: FileDetail) => t('Replace {filename}', { filename })

function NotReplaced({ replaced: { files, job_id } }: { replaced: ReplaceResult }) {
  const error = files[0]?.error
  return (
    <Banner tone="critical" title={t('The file could not be replaced')}>
      <p>
        {[error?.message ?? t('The import was stopped'), error?.detail].filter(Boolean).join(': ')}
      </p>
      <p>
        <Link url={`/operations/${job_id}`}>{t('View details')}</Link>
      </p>
    </Banner>
  )
}

/** A large file takes longer than the dialog waits. */
const GoingOn = ({ file, replaced, onClose }: Props & { replaced: ReplaceResult }) => (
  <Dialog
    title={titleOf(file)}
    onClose={onClose}
    primaryAction={{ content: t('Done'), onAction: onClose }}
  >
    <Banner tone="info" title={t('The new version is being imported')}>
      <p>
        {tRich(
          'Until it has arrived, links deliver the previous version. <link>See the progress</link>',
          {},
          { link: (text) => <Link url={`/operations/${replaced.job_id}`}>{text}</Link> },
        )}
      </p>
    </Banner>
  </Dialog>
)
