// One delivery: what was bought and sent, the buyer's downloads, and the possible actions.
import { useState, type ReactNode } from 'react'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, BlockStack, Banner, Button } from '../../shell/ui/index.ts'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { toast } from '../../shell/client/bridge.ts'
import {
  type DeliveredFile,
  type AddedToOrder,
  type DeliveryDetail,
  useChangeDelivery,
  useDelivery,
  type DeliveryChange,
} from './calls.ts'
import { DELIVERY_STATUSES } from './labels.ts'
import { AddFilesDialog, recipientOf } from './add-files-dialog.tsx'
import { AboutCard } from './about-card.tsx'
import { AddressDialog } from './address-dialog.tsx'
import { CorrectDialog } from './correct-dialog.tsx'
import { FilesCard } from './files-card.tsx'
import { DownloadsCard, LinesCard, MessagesCard } from './history-cards.tsx'
import { ReplaceDialog } from './replace-dialog.tsx'
import { StateBanners } from './state-banners.tsx'
import { TermsDialog } from './terms-dialog.tsx'
import { UnblockDialog, UnblockedBanner, type UnblockResult } from './unblock-dialog.tsx'
import { useAddedFiles } from './use-added-files.tsx'
import { useDeliveryActions } from './use-delivery-actions.tsx'
import { type ChangedUse, UseTermsDialog } from './use-terms-dialog.tsx'

/** The open dialog; about one file, or all. */
type DialogState =
  | { dialog: 'unblock' }
  | { dialog: 'add' }
  | { dialog: 'address' }
  | { dialog: 'correct' }
  | { dialog: 'terms'; files: readonly DeliveredFile[] }
  | { dialog: 'replace'; file: DeliveredFile }
  | { dialog: 'use'; file: DeliveredFile }

export function DeliveryPage({ id }: { id: string }) {
  const delivery = useDelivery(id)
  const { data } = delivery
  if (data) return <Loaded delivery={data} query={delivery} />
  return (
    <UnloadedPage
      query={delivery}
      back={back()}
      title={t('Delivery')}
      what={t('the delivery')}
      problem={t('The delivery could not be loaded')}
      missing={{
        title: t('Delivery not found'),
        heading: t('This delivery doesn’t exist'),
        action: t('Go to deliveries'),
      }}
    />
  )
}

const back = () => ({ content: t('Deliveries'), url: lastSeen('/deliveries') })

interface LoadedProps {
  delivery: DeliveryDetail
  query: ReturnType<typeof useDelivery>
}

/** Why the last message could not be sent is shown until another dialog opens. */
function useDialogs() {
  const [open, setOpen] = useState<DialogState | null>(null)
  const [unsent, onUnsent] = useState<Error | null>(null)
  const show = (dialog: DialogState) => {
    onUnsent(null)
    setOpen(dialog)
  }
  return { open, show, close: () => setOpen(null), unsent, onUnsent }
}

function Loaded({ delivery, query }: LoadedProps) {
  const { open, show, close, unsent, onUnsent } = useDialogs()
  const actions = useDeliveryActions(delivery, () => onUnsent(null))
  const releasing = useRelease(delivery.id)
  const [used, onUse] = useState<ChangedUse | null>(null)
  const [unblocked, setUnblocked] = useState<UnblockResult | null>(null)
  const added = useAddedFiles(delivery.id)
  return (
    <Page
      title={t('Order {name}', { name: delivery.order_name })}
      titleMetadata={<Status status={delivery.status} />}
      backAction={back()}
      primaryAction={actions.primary}
      secondaryActions={actions.secondary}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The delivery could not be loaded')} />
        {actions.error && <Problem error={actions.error} what={t('That could not be done')} />}
        <ChangeBanners
          id={delivery.id}
          releasing={releasing}
          used={used}
          unsent={unsent}
          onClose={() => onUse(null)}
        />
        {added.banner}
        {unblocked && <UnblockedBanner unblocked={unblocked} onClose={() => setUnblocked(null)} />}
        <StateBanners
          delivery={delivery}
          onCorrect={() => show({ dialog: 'correct' })}
          onUnblock={() => show({ dialog: 'unblock' })}
          onPrepare={actions.prepare}
          onUnsent={onUnsent}
        />
        <AboutCard delivery={delivery} onCorrect={() => show({ dialog: 'address' })} />
        <FilesCard
          delivery={delivery}
          onAdd={() => show({ dialog: 'add' })}
          onTakeBack={added.takeBack}
          onTerms={(files) => show({ dialog: 'terms', files })}
          onReplace={(file) => show({ dialog: 'replace', file })}
          onRelease={releasing.release}
          onUse={(file) => show({ dialog: 'use', file })}
        />
        <HistoryCards delivery={delivery} />
      </BlockStack>
      <OpenDialog
        open={open}
        delivery={delivery}
        onUse={onUse}
        onUnsent={onUnsent}
        onClose={close}
        onUnblocked={setUnblocked}
        onAdded={added.show}
      />
      {actions.question}
    </Page>
  )
}

function Status({ status }: Pick<DeliveryDetail, 'status'>) {
  const { tone, text } = DELIVERY_STATUSES[status]
  return <Badge tone={tone}>{text}</Badge>
}

const HistoryCards = ({ delivery }: { delivery: DeliveryDetail }) => (
  <>
    <LinesCard lines={delivery.lines} />
    <MessagesCard messages={delivery.messages} />
    <DownloadsCard {...delivery} />
  </>
)

interface ChangeBannersProps {
  /** The delivery's. */
  id: string
  releasing: ReturnType<typeof useRelease>
  used: ChangedUse | null
  /** Why the message about the last change could not be sent. */
  unsent: Error | null
  onClose: () => void
}

/** What was changed last on a single file, to be undone, and why that failed. */
const ChangeBanners = ({ id, releasing, used, unsent, onClose }: ChangeBannersProps) => (
  <>
    {unsent && (
      <Problem
        error={unsent}
        what={t('The change is saved, but the message to the buyer could not be sent')}
      />
    )}
    {releasing.error && (
      <Problem error={releasing.error} what={t('The file could not be made available')} />
    )}
    {releasing.released && (
      <ChangedBanner
        key={releasing.released.file_id}
        delivery={id}
        title={t('{name} is available', { name: releasing.released.filename })}
        before={termsBefore(releasing.released)}
        onClose={releasing.forget}
      >
        {t(
          'Undo makes it available on {moment} again, for this order. An email that was sent about it stays with the buyer.',
          { moment: momentText(releasing.released.available_at) },
        )}
      </ChangedBanner>
    )}
    {used && (
      <ChangedBanner
        key={used.before.file_id}
        delivery={id}
        title={t('The terms of {name} were changed', { name: used.filename })}
        before={used.before}
        onClose={onClose}
      >
        {t('They apply to this order, from now on.')}
      </ChangedBanner>
    )}
  </>
)

interface ReleasedFile {
  file_id: string
  filename: string
  /** When it would have become available. */
  available_at: string
}

/** What the buyer has downloaded in the meantime stays with the buyer. */
const termsBefore = ({ file_id, available_at }: ReleasedFile) => ({ file_id, available_at })

/** Makes single files available before their release; `released`: the last one, to undo it. */
function useRelease(delivery: string) {
  const change = useChangeDelivery(delivery)
  const [released, setReleased] = useState<ReleasedFile | null>(null)
  const release = ({ file_id, filename, available_at }: DeliveredFile) =>
    change.mutate(
      { changes: [{ terms: [{ file_id, available_at: null }] }], resend: false },
      {
        onSuccess: () =>
          setReleased(available_at === null ? null : { file_id, filename, available_at }),
      },
    )
  return { release, error: change.error, released, forget: () => setReleased(null) }
}

interface DialogProps {
  open: DialogState | null
  delivery: DeliveryDetail
  onClose: () => void
  onUse: (changed: ChangedUse) => void
  onUnblocked: (unblocked: UnblockResult) => void
  onAdded: (added: AddedToOrder) => void
  /** The change is saved, but its message could not be sent. */
  onUnsent: (error: Error) => void
}

function OpenDialog({ open, onUse, onUnblocked, onAdded, ...props }: DialogProps) {
  const { delivery, onClose } = props
  if (open === null) return null
  switch (open.dialog) {
    case 'add':
      return <AddFilesDialog to={recipientOf(delivery)} onClose={onClose} onAdded={onAdded} />
    case 'unblock':
      return <UnblockDialog id={delivery.id} onClose={onClose} onDone={onUnblocked} />
    case 'address':
      return <AddressDialog {...props} />
    case 'correct':
      return <CorrectDialog id={delivery.id} onClose={onClose} />
    case 'terms':
      return <TermsDialog {...props} files={open.files} />
    case 'use':
      return (
        <UseTermsDialog delivery={delivery} onClose={onClose} file={open.file} onChanged={onUse} />
      )
    case 'replace':
      return <ReplaceDialog {...props} file={open.file} />
  }
}

// A term of one buyer's file was changed: with the way back.

interface Props {
  delivery: string
  title: string
  children: ReactNode
  /** Of the changed terms, what they were. */
  before: NonNullable<DeliveryChange['terms']>[number]
  onClose: () => void
}

function ChangedBanner({ delivery, title, children, before, onClose }: Props) {
  const undo = useChangeDelivery(delivery)
  const restore = () =>
    undo.mutate(
      { changes: [{ terms: [before] }], resend: false },
      {
        onSuccess: () => {
          toast(t('Undone'))
          onClose()
        },
      },
    )
  return (
    <Banner tone="success" title={title} onDismiss={onClose}>
      <div role="status">{children}</div>
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      <Button loading={undo.isPending} onClick={restore}>
        {t('Undo')}
      </Button>
    </Banner>
  )
}
