// The dialog of a menu entry; all dialogs are loaded when the first one is opened.
import { type ComponentType, useState } from 'react'
import { Text, Banner, Link, Select, Spinner } from '../../../shell/ui/index.ts'
import { paidText, trashText } from '../../../shell/files/impact-labels.ts'
import { t } from '../../../shell/messages/t.ts'
import { useRead } from '../../../shell/client/reads.ts'
import type { Schemas, Selection } from '../../../shell/client/types.ts'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { durationText } from '../../../shell/messages/duration.ts'
import { entriesOf, usePlugins } from '../../../shell/client/plugins.ts'
import { useWorkflows, type Workflow } from '../../../shell/client/workflows.ts'
import { Steps } from '../../../shell/components/steps.tsx'
import { tRich } from '../../../shell/messages/rich.ts'
import { useStartOperation } from '../../operations/calls.ts'
import { cannotUndoText } from '../../operations/labels.ts'
import type { MenuEntry } from '../actions.ts'
import { type BulkProps, BulkDialog } from './bulk-dialog.tsx'
import {
  DeleteByFilter,
  DeletionFields,
  useImpact,
  useDeletionPlugins,
} from './delete-by-filter.tsx'
import { MailPreview } from '../../mail/mail-preview.tsx'
import type { EntryProps } from './entry-props.ts'
import { LinksDialog } from './links-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { PluginDialog, previewOf } from './plugin-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { textsOf } from './action-texts.ts'
import '../../../shell/components/form-and-preview.css'
import { onlyUnmaps, PLAIN_DELETION, workOf } from './deletion.ts'
import { runsAsItIs } from './action-form.ts'

/** Dialog bodies that the schema cannot draw, by their names in the plugin contract. */
const BODIES: Readonly<Record<string, ComponentType<EntryProps>>> = {
  rename: RenameDialog,
  merge: MergeDialog,
  links: LinksDialog,
  give: GiveDialog,
  tell: TellDialog,
  delete: DeleteDialog,
  'delete-by-filter': DeleteByFilter,
}

export function OpenDialog({ entry, ...props }: BulkProps & { entry: MenuEntry }) {
  if (entry === 'workflow') return <WorkflowDialog {...props} />
  const Dialog = BODIES[entry.action.body ?? ''] ?? PluginDialog
  return <Dialog entry={entry} {...props} />
}

// Moves the selected files to the trash, and shows what that means for their products.

function DeleteDialog({ entry, ...props }: EntryProps) {
  const plugins = useDeletionPlugins(entry)
  const texts = textsOf(entry, props.chosen, {})
  const { select, count } = props.chosen
  const start = useStartOperation()
  const [deletion, setDeletion] = useState(PLAIN_DELETION)
  const impact = useImpact(props.chosen)
  const paid = paidText(impact.paid)
  const unmaps = onlyUnmaps(deletion, impact.mapped)
  return (
    <BulkDialog
      {...props}
      title={texts.title}
      run={unmaps ? t('Remove mappings') : texts.button}
      destructive
      start={start}
      error={start.error}
      // All that match may include files that the merchant has not seen.
      preview={unmaps ? 'offered' : previewOf(entry, select)}
      work={() => workOf(deletion, impact.mapped, plugins)}
    >
      <Text as="p">{trashText(count, impact.links)}</Text>
      {paid && !unmaps && (
        <Text as="p" tone="critical">
          {paid}
        </Text>
      )}
      <DeletionFields
        deletion={deletion}
        impact={impact}
        count={count}
        unmaps={plugins.unmap !== null}
        onChange={(part) => setDeletion({ ...deletion, ...part })}
      />
    </BulkDialog>
  )
}

// Gives files to past buyers. A preview is required; the form says how many orders lack the files.

/** @param product only its buyers; null: those of all products of the files. */
const usePastBuyers = (select: Selection, product: string | null) =>
  useRead('POST /api/new-files/buyers', {
    body: { select, ...(product === null ? {} : { product_id: product }) },
    key: ['files', 'past-buyers', select, product],
  })

function GiveDialog(props: EntryProps) {
  const { product_id: product } = props.entry.action.preset
  return (
    <PluginDialog {...props}>
      {({ email, mails_per_hour: rate }) => (
        <PastBuyers
          select={props.chosen.select}
          product={typeof product === 'string' ? product : null}
          rate={email !== false && typeof rate === 'number' && rate > 0 ? rate : null}
        />
      )}
    </PluginDialog>
  )
}

/** Shows the email before it is sent. */
function TellDialog(props: EntryProps) {
  return (
    <PluginDialog {...props}>
      <MailPreview mail="update" />
    </PluginDialog>
  )
}

interface PastBuyersProps {
  select: Selection
  product: string | null
  /** Emails an hour; null: without a limit. */
  rate: number | null
}

function PastBuyers({ select, product, rate }: PastBuyersProps) {
  const counted = usePastBuyers(select, product)
  const { data, error } = counted
  if (error) return <LoadProblem query={counted} what={t('The past buyers could not be counted')} />
  if (data === undefined)
    return (
      <Text as="p" fontWeight="medium">
        {t('Counting past buyers…')}
      </Text>
    )
  return (
    <>
      <Text as="p" fontWeight="medium">
        {pastBuyersText(data)}
      </Text>
      {rate !== null && data.orders > 1 && <Text as="p">{rateText(data.orders, rate)}</Text>}
    </>
  )
}

const HOUR_SECONDS = 3600

/** How long the emails take; the first one is sent immediately. */
const rateText = (mails: number, rate: number): string =>
  t('The emails take {duration}: at most {count, plural, one {# email} other {# emails}}.', {
    duration: durationText(((mails - 1) * HOUR_SECONDS) / rate),
    count: mails,
  })

const pastBuyersText = ({ orders, buyers }: Schemas['PastBuyers']): string =>
  orders === 0
    ? t('No past buyer lacks these files.')
    : t(
        '{orders, plural, one {# order} other {# orders}} of {buyers, plural, one {# buyer} other {# buyers}} would get files.',
        { orders, buyers },
      )

// Runs a workflow on the selected files.

function WorkflowDialog(props: BulkProps) {
  const start = useStartOperation()
  const { workflows, offered } = useOffered()
  const [id, setId] = useState<string | null>(null)
  const chosen = offered.find((workflow) => workflow.id === id) ?? offered[0]
  const files = t('{count, plural, one {# file} other {# files}}', { count: props.chosen.count })
  return (
    <BulkDialog
      {...props}
      title={t('Run a workflow on {files}', { files })}
      run={t('Run workflow')}
      start={start}
      error={start.error}
      work={() => (chosen ? { workflow: chosen.id } : null)}
    >
      {workflows.isPending && <Spinner size="small" accessibilityLabel={t('Loading workflows')} />}
      <LoadProblem query={workflows} what={t('The workflows could not be loaded')} />
      {workflows.data && !chosen && (
        <p>
          {tRich(
            'No workflow works on files that are already here. <link>Create one</link>.',
            {},
            {
              link: (text) => <Link url="/workflows/new">{text}</Link>,
            },
          )}
        </p>
      )}
      {chosen && (
        <>
          <Select
            label={t('Workflow')}
            options={offered.map(({ id: value, name }) => ({ value, label: name }))}
            value={chosen.id}
            onChange={(value) => {
              setId(value)
              if (start.error) start.reset()
            }}
          />
          <Steps steps={chosen.steps} />
          {chosen.cannot_undo.length > 0 && (
            <Banner tone="warning">
              <p>{cannotUndoText(chosen.cannot_undo)}</p>
            </Banner>
          )}
        </>
      )}
    </BulkDialog>
  )
}

/** The workflows that can run on selected files without further options. */
function useOffered() {
  const workflows = useWorkflows()
  const plugins = usePlugins()
  const ready = new Set(
    entriesOf(plugins.data?.data ?? [])
      .filter(runsAsItIs)
      .map(({ action }) => action.id),
  )
  const isOffered = ({ id, kind, built_in }: Workflow) =>
    kind === 'bulk' && (!built_in || ready.has(id))
  const offered = workflows.data?.data.filter(isOffered).toSorted(ownFirst) ?? []
  return { workflows, offered }
}

/** The merchant's own workflows first, then built-in ones that need no options. */
const ownFirst = (one: Workflow, other: Workflow): number =>
  Number(one.built_in) - Number(other.built_in) || one.name.localeCompare(other.name)
