// One pack: its files in their order, its products, its links.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import type { LoadedQuery } from '../../shell/client/together.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { Page } from '../../shell/components/page.tsx'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Layout, Hint } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import type { DownloadLink } from '../../shell/client/types.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { PageDrop } from '../../shell/components/window-drop.tsx'
import { uploadFiles } from '../upload/dropped.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { LinksCard } from '../links/links-card.tsx'
import { PackWatermark } from '../settings/pack-watermark.tsx'
import { useCreatePackLink } from '../links/list-calls.ts'
import { linkTerms } from '../links/labels.ts'
import { LinkFields } from '../links/link-fields.tsx'
import {
  type LinkForm,
  type LinkFormErrors,
  linkProblems,
  packLinkFormFor,
  readLinkForm,
} from '../links/link-form.ts'
import { type Pack, useChangePack, usePack } from './calls.ts'
import { OperationToast } from '../files/operation-toast.tsx'
import { AddFiles } from './add-files.tsx'
import { DeletePack } from './delete-pack.tsx'
import { NameDialog } from './name-dialog.tsx'
import { PackFiles } from './pack-files.tsx'
import { PackProducts } from './pack-products.tsx'
import { SellPack } from './sell-pack.tsx'
import './packs.css'

export function PackPage({ id }: { id: string }) {
  const pack = usePack(id)
  const back = { content: t('Packs'), url: lastSeen('/packs') }
  if (pack.data) return <Whole pack={pack.data} query={pack} back={back} />
  return (
    <UnloadedPage
      query={pack}
      back={back}
      title={t('Pack')}
      what={t('the pack')}
      problem={t('The pack could not be loaded')}
      missing={{
        title: t('Pack not found'),
        heading: t('This pack doesn’t exist'),
        action: t('Go to packs'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

interface WholeProps {
  pack: Pack
  query: LoadedQuery
  back: { content: string; url: string }
}

function Whole({ pack, query, back }: WholeProps) {
  const [asking, setAsking] = useState<Asking>(null)
  const [started, setStarted] = useState<string | null>(null)
  return (
    <Page
      title={pack.name}
      subtitle={t('{files, plural, one {# file} other {# files}}, {size}', {
        files: pack.files,
        size: sizeText(pack.size_bytes),
      })}
      backAction={back}
      primaryAction={
        pack.files > 0
          ? { content: t('Create link'), onAction: () => setAsking('link') }
          : undefined
      }
      secondaryActions={[
        { content: t('Sell as a product'), onAction: () => setAsking('sell') },
        { content: t('Rename'), onAction: () => setAsking('name') },
        { content: t('Delete'), destructive: true, onAction: () => setAsking('delete') },
      ]}
    >
      <Layout>
        {query.error && (
          <Layout.Section variant="fullWidth">
            <LoadProblem query={query} what="" />
          </Layout.Section>
        )}
        {started && (
          <Layout.Section variant="fullWidth">
            <OperationToast
              id={started}
              onReplaced={setStarted}
              onDismiss={() => setStarted(null)}
            />
          </Layout.Section>
        )}
        <Content pack={pack} onAsk={setAsking} />
      </Layout>
      <PageDrop
        text={t('Drop the files to upload them into {name}', { name: pack.name })}
        onFiles={(files) => uploadFiles(files, pack.name)}
      />
      <Asked pack={pack} asking={asking} onClose={() => setAsking(null)} onStarted={setStarted} />
    </Page>
  )
}

interface ContentProps {
  pack: Pack
  onAsk: (asking: Asking) => void
}

const Content = ({ pack, onAsk }: ContentProps) => (
  <>
    <Layout.Section>
      <BlockStack gap="400">
        <PackFiles pack={pack} onAdd={() => onAsk('files')} />
        <LinksCard
          of={{ pack_id: pack.id }}
          nothing={
            pack.files > 0
              ? t(
                  'No links yet. A link shows one buyer all files of this pack, each to be downloaded.',
                )
              : t('Links can be created when there are files in this pack.')
          }
          onCreate={pack.files > 0 ? () => onAsk('link') : null}
        />
      </BlockStack>
    </Layout.Section>
    <Layout.Section variant="oneThird">
      <BlockStack gap="400">
        <PackProducts pack={pack} />
        <PackWatermark pack={pack} />
      </BlockStack>
    </Layout.Section>
  </>
)

type Asking = 'name' | 'link' | 'files' | 'sell' | 'delete' | null

interface AskedProps {
  pack: Pack
  asking: Asking
  onClose: () => void
  onStarted: (operation: string) => void
}

/** The dialog that is open. */
function Asked({ asking, onStarted, ...props }: AskedProps) {
  switch (asking) {
    case 'name':
      return <Rename {...props} />
    case 'link':
      return <CreatePackLink {...props} />
    case 'files':
      return <AddFiles {...props} onStarted={onStarted} />
    case 'sell':
      return <SellPack {...props} />
    case 'delete':
      return <DeletePack {...props} onDeleted={() => navigate('/packs')} />
    case null:
      return null
  }
}

function Rename({ pack, onClose }: { pack: Pack; onClose: () => void }) {
  const change = useChangePack(pack.id, useKnown(pack))
  const [name, setName] = useState(pack.name)
  return (
    <NameDialog
      title={t('Rename {name}', { name: pack.name })}
      save={t('Rename')}
      name={name}
      saving={change.isPending}
      error={change.error}
      onChange={(text) => {
        setName(text)
        change.reset()
      }}
      onSave={() =>
        change.mutate(
          { name: name.trim() },
          {
            onSuccess: () => {
              toast(t('Pack renamed'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}

// The dialog that creates a link to a pack, whose page shows the buyer all files.

function CreatePackLink({ pack, onClose }: { pack: Pack; onClose: () => void }) {
  const create = useCreatePackLink()
  const settings = useSettings()
  const [edited, setEdited] = useState<LinkForm | null>(null)
  const form = edited ?? (settings.data ? packLinkFormFor(settings.data) : null)
  const [errors, setErrors] = useState<LinkFormErrors>({})
  const made = create.data
  const refusal = create.error ? linkProblems(create.error) : null
  const allErrors = { ...refusal?.fields, ...errors }
  const submit = () => {
    if (!form) return
    const result = readLinkForm(form)
    setErrors('errors' in result ? result.errors : {})
    if ('link' in result) create.mutate({ pack_id: pack.id, ...result.link })
  }
  const change = (part: Partial<LinkForm>) => {
    if (form) setEdited({ ...form, ...part })
    setErrors({})
    if (create.error) create.reset()
  }
  if (made) return <PackLinkMade link={made} onClose={onClose} />
  return (
    <Dialog
      title={t('Create link to {name}', { name: pack.name })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: t('Create link'),
        onAction: submit,
        loading: create.isPending,
        disabled: !form,
      }}
    >
      {refusal?.other && (
        <Problem error={refusal.other} what={t('The link could not be created')} />
      )}
      <Hint>
        {t(
          'The buyer sees {files, plural, one {# file} other {# files}}. The download limit applies to each file.',
          { files: pack.files },
        )}
      </Hint>
      {form && <LinkFields to="pack" form={form} errors={allErrors} onChange={change} />}
      {!form && !settings.error && <LoadingRows rows={3} what={t('the settings')} />}
      {!form && settings.error && (
        <LoadProblem query={settings} what={t('The settings could not be loaded')} />
      )}
    </Dialog>
  )
}

function PackLinkMade({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  return (
    <Dialog
      title={t('Link created')}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {link.copy_url !== null && <Code text={link.copy_url} what={t('link')} wrap />}
      <Hint>{linkTerms(link)}</Hint>
    </Dialog>
  )
}
