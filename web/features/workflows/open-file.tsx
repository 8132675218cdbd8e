// A workflow from a file: it is compared with the shop, and saved when the merchant has seen the
// difference.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import {
  type AppliedFile,
  useApplyFile,
  useComparedFile,
  type WorkflowFile,
} from '../../shell/client/workflows.ts'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Heading } from '../../shell/ui/index.ts'
import { Differences } from './versions-dialog.tsx'

const MAX_BYTES = 256 * 1024

export function OpenFile({ onClose }: { onClose: () => void }) {
  const { chosen, isTooLarge, choose, compared, planned, apply, save } = useOpened(onClose)
  const isNew = planned?.kind === 'workflow' && ['created', 'changed'].includes(planned.status)
  return (
    <Dialog
      title={t('Open a file')}
      onClose={onClose}
      onEnter={save}
      primaryAction={{
        content: t('Save'),
        disabled: !isNew,
        loading: apply.isPending,
        onAction: save,
      }}
    >
      {apply.error && <Problem error={apply.error} what={t('The workflow could not be saved')} />}
      {isTooLarge && (
        <Banner tone="critical">
          <p>{t('The file is larger than 256 KB.')}</p>
        </Banner>
      )}
      <DropArea
        small
        title={chosen?.file ?? t('Drop a workflow as a YAML or JSON file here')}
        choose={t('Choose a file')}
        help={t('Nothing is saved before you have seen what it changes.')}
        accept=".yaml,.yml,.json,application/yaml,application/json"
        busy={apply.isPending}
        onFiles={(files) => void choose(files)}
      />
      {planned && <Planned planned={planned} />}
      {chosen && !planned && (
        <Unloaded
          query={compared}
          what={t('the difference')}
          problem={t('The file could not be compared')}
          rows={3}
        />
      )}
    </Dialog>
  )
}

/** The chosen file, what it would change, and its save. */
function useOpened(onClose: () => void) {
  const [chosen, setChosen] = useState<WorkflowFile | null>(null)
  const [isTooLarge, setTooLarge] = useState(false)
  const compared = useComparedFile(chosen)
  const apply = useApplyFile()
  // What the shop refused although it was possible before.
  const refused = apply.data?.data.find(({ status }) => status === 'refused')
  const planned = refused ?? compared.data?.data[0]
  const choose = async ([file]: ChosenFile[]) => {
    if (!file) return
    apply.reset()
    const isLarge = file.data.size > MAX_BYTES
    setTooLarge(isLarge)
    setChosen(isLarge ? null : { file: file.data.name, text: await file.data.text() })
  }
  const save = () => {
    if (!chosen || !planned) return
    apply.mutate(
      { ...chosen, known: planned.tag_before },
      {
        onSuccess: ({ data: [saved] }) => {
          if (!saved || saved.status === 'refused') return
          toast(t('Workflow saved'))
          onClose()
          if (saved.id !== null) navigate(`/workflows/${saved.id}`)
        },
      },
    )
  }
  return { chosen, isTooLarge, choose, compared, planned, apply, save }
}

function Planned({ planned }: { planned: AppliedFile }) {
  const { kind, status, name, differences, error } = planned
  if (error) return <Refusal error={error} />
  if (kind !== 'workflow')
    return (
      <Banner tone="critical">
        <p>{t('This file is not a workflow.')}</p>
      </Banner>
    )
  if (status === 'unchanged')
    return (
      <Banner tone="info">
        <p>{t('The workflow “{name}” is like this already.', { name: name ?? '' })}</p>
      </Banner>
    )
  return (
    <BlockStack gap="200">
      <Heading>
        {status === 'created'
          ? t('New workflow “{name}”', { name: name ?? '' })
          : t('Changes of “{name}”', { name: name ?? '' })}
      </Heading>
      <Differences differences={differences} />
    </BlockStack>
  )
}

const Refusal = ({ error }: { error: NonNullable<AppliedFile['error']> }) => (
  <Banner tone="critical" title={t('The workflow can’t be saved yet')}>
    {error.details.length === 0 ? (
      <p>{messageText(error)}</p>
    ) : (
      <ul className="bullets">
        {error.details.map((detail) => (
          <li key={`${detail.line} ${detail.param} ${detail.message}`}>
            {t('Line {line, number}: {message}', {
              line: detail.line ?? 1,
              message: messageText(detail),
            })}
          </li>
        ))}
      </ul>
    )}
  </Banner>
)
