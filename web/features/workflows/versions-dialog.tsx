// The versions of a workflow: what each save changed, and what would be restored.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import {
  type Difference,
  useRestoreVersion,
  useVersion,
  useVersions,
  type WholeVersion,
  type WorkflowVersion,
} from '../../shell/client/workflows.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { messageText, shownText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Heading,
  Hint,
  InlineStack,
  Text,
} from '../../shell/ui/index.ts'

interface Props {
  workflow: string
  /** The version that is shown first; null: their list. */
  initial: number | null
  onClose: () => void
  onRestored: () => void
}

export function VersionsDialog({ workflow, initial, onClose, onRestored }: Props) {
  const [shown, setShown] = useState(initial)
  return shown === null ? (
    <List workflow={workflow} onClose={onClose} onShow={setShown} />
  ) : (
    <Whole
      workflow={workflow}
      version={shown}
      onClose={onClose}
      onBack={() => setShown(null)}
      onRestored={onRestored}
    />
  )
}

interface ListProps extends Pick<Props, 'workflow' | 'onClose'> {
  onShow: (version: number) => void
}

function List({ workflow, onClose, onShow }: ListProps) {
  const versions = useVersions(workflow)
  const rows = versions.data?.data
  return (
    <Dialog
      title={t('Versions')}
      onClose={onClose}
      primaryAction={{ content: t('Close'), onAction: onClose }}
    >
      <Hint>{t('Each save that changes something is a version. The last 100 are kept.')}</Hint>
      {rows === undefined ? (
        <Unloaded
          query={versions}
          what={t('the versions')}
          problem={t('The versions could not be loaded')}
          rows={3}
        />
      ) : rows.length === 0 ? (
        <Text as="p">{t('It has no version yet: the next save is the first one.')}</Text>
      ) : (
        <ol className="versions">
          {rows.map((version, at) => (
            <Row
              key={version.version}
              version={version}
              isNow={at === 0}
              onShow={() => onShow(version.version)}
            />
          ))}
        </ol>
      )}
    </Dialog>
  )
}

interface RowProps {
  version: WorkflowVersion
  isNow: boolean
  onShow: () => void
}

const Row = ({ version, isNow, onShow }: RowProps) => (
  <li>
    <BlockStack gap="100">
      <InlineStack gap="200" align="space-between" blockAlign="center">
        <InlineStack gap="200" blockAlign="center">
          <Heading>{t('Version {version, number}', { version: version.version })}</Heading>
          {isNow && <Badge tone="success">{t('Now')}</Badge>}
        </InlineStack>
        <Button
          onClick={onShow}
          accessibilityLabel={t('Show version {version, number}', { version: version.version })}
        >
          {t('Show')}
        </Button>
      </InlineStack>
      <Hint>
        {t('{time}, by {name}', { time: momentText(version.created_at), name: version.by })}
      </Hint>
      {version.restored !== null && (
        <Text as="p">
          {t('Version {version, number} was restored', { version: version.restored })}
        </Text>
      )}
      <Differences differences={version.differences} />
    </BlockStack>
  </li>
)

/** What differs, in sentences. */
export const Differences = ({ differences }: { differences: readonly Difference[] }) =>
  differences.length === 0 ? null : (
    <ul className="bullets">
      {differences.map(({ param, message_text }, at) => (
        <li key={`${param} ${at}`}>{shownText(message_text)}</li>
      ))}
    </ul>
  )

interface WholeProps extends Pick<Props, 'workflow' | 'onClose' | 'onRestored'> {
  version: number
  onBack: () => void
}

function Whole({ workflow, version, onClose, onBack, onRestored }: WholeProps) {
  const query = useVersion(workflow, version)
  const restore = useRestoreVersion(workflow)
  const { data } = query
  const isSame = data?.differences.length === 0
  return (
    <Dialog
      title={t('Version {version, number}', { version })}
      onClose={onClose}
      primaryAction={{
        content: t('Restore this version'),
        disabled: data === undefined || isSame,
        loading: restore.isPending,
        onAction: () =>
          restore.mutate(version, {
            onSuccess: () => {
              toast(t('Version {version, number} was restored', { version }))
              onRestored()
            },
          }),
      }}
      secondaryActions={[{ content: t('All versions'), onAction: onBack }]}
    >
      {restore.error && <Refused error={restore.error} />}
      {data === undefined ? (
        isGone(query.error) ? (
          <Banner tone="info">
            <p>{t('This version is not kept any more: the last 100 are.')}</p>
          </Banner>
        ) : (
          <Unloaded
            query={query}
            what={t('the version')}
            problem={t('The version could not be loaded')}
            rows={3}
          />
        )
      ) : (
        <WholeBody version={data} />
      )}
    </Dialog>
  )
}

const WholeBody = ({ version }: { version: WholeVersion }) => (
  <>
    <Hint>
      {t('{time}, by {name}', { time: momentText(version.created_at), name: version.by })}
    </Hint>
    <BlockStack gap="100">
      <Heading>{t('Steps')}</Heading>
      <ol className="bullets">
        {version.steps.map(({ title, summary_text }, at) => (
          <li key={at}>{shownText(summary_text) || translated(title)}</li>
        ))}
      </ol>
    </BlockStack>
    <BlockStack gap="100">
      <Heading>{t('What was changed since')}</Heading>
      {version.differences.length === 0 ? (
        <Text as="p">{t('Nothing: the workflow is like this now.')}</Text>
      ) : (
        <Differences differences={version.differences} />
      )}
    </BlockStack>
  </>
)

const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404

/** Why it cannot be restored: what it names is gone. */
function Refused({ error }: { error: Error }) {
  const details = error instanceof ApiError ? error.details : []
  const what = t('The version could not be restored')
  if (details.length === 0) return <Problem error={error} what={what} />
  return (
    <Banner tone="critical" title={what}>
      <ul className="bullets">
        {details.map((detail) => (
          <li key={`${detail.param} ${detail.message}`}>{messageText(detail)}</li>
        ))}
      </ul>
    </Banner>
  )
}
