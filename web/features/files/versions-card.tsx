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
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { saveVersion, useRestoreVersion, useVersions, type Version } from './version-calls.ts'

export function VersionsCard({ file }: { file: FileDetail }) {
  const versions = useVersions(file)
  const restore = useRestoreVersion(file.id)
  const [failed, setFailed] = useState<Error | null>(null)
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
        <Heading>{t('Versions')}</Heading>
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
            {version.link_url ?? aboutText(version, filename)}
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
