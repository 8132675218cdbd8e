// One file: its content, settings, products and links.
import { Fragment, type ReactNode, useState } from 'react'
import { useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { PageDrop } from '../../shell/components/window-drop.tsx'
import { isMissing } from '../../shell/client/error.ts'
import { useFile } from '../../shell/client/queries.ts'
import { saveFile } from '../../shell/client/save.ts'
import { type FileDetail, type Operation } from '../../shell/client/types.ts'
import { type LoadedQuery } from '../../shell/client/together.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { Code } from '../../shell/components/copy.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { FileIcon } from '../../shell/files/icon.tsx'
import { Page } from '../../shell/components/page.tsx'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Card,
  Heading,
  InlineStack,
  Layout,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { kindText } from '../../shell/files/labels.ts'
import { storageText } from '../../shell/labels/storage.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { LinksCard } from '../links/links-card.tsx'
import { CreateLink } from './create-link.tsx'
import { DownloadsCard } from './downloads-card.tsx'
import { EditFile } from './edit-file.tsx'
import { useFileActions } from './file-actions.tsx'
import { HoldersCard } from './holders-card.tsx'
import { HistoryCard } from './history-card.tsx'
import { OperationToast } from './operation-toast.tsx'
import { MappingsCard } from './mappings-card.tsx'
import { Picture } from './picture.tsx'
import { PublicAddress } from './public-address.tsx'
import { SampleCard, sampleSettingOf } from './sample-card.tsx'
import { SettingsCard } from './settings-card.tsx'
import { VersionsCard } from './versions-card.tsx'
import { t } from '../../shell/messages/t.ts'

export function FilePage({ id }: { id: string }) {
  const file = useFile(id)
  const [started, setStarted] = useState<string | null>(null)
  const back = { content: t('Files'), url: lastSeen('/files') }
  const news = started && (
    <OperationToast id={started} onReplaced={setStarted} onDismiss={() => setStarted(null)} />
  )
  if (file.data && !isMissing(file.error))
    return (
      <Whole
        file={file.data}
        query={file}
        back={back}
        news={news}
        onStarted={({ id }) => setStarted(id)}
      />
    )
  return (
    <UnloadedPage
      query={file}
      back={back}
      title={t('File')}
      what={t('the file')}
      problem={t('The file could not be loaded')}
      missing={{
        title: t('File not found'),
        heading: t('This file doesn’t exist'),
        action: t('Go to files'),
        hint: t('It may have been deleted: the trash keeps deleted files for 7 days.'),
        news,
      }}
    />
  )
}

interface WholeProps {
  file: FileDetail
  query: LoadedQuery
  back: { content: string; url: string }
  /** Operations that were started here, with their progress. */
  news: ReactNode
  onStarted: (operation: Operation) => void
}

function Whole({ file, query, back, news, onStarted }: WholeProps) {
  const [linking, setLinking] = useState(false)
  const [editing, setEditing] = useState(false)
  const { remove, map, unmap, give, tell, release, dialog } = useFileActions(file, onStarted)
  const replacing = useReplacing(file, tell)
  return (
    <Page
      title={file.filename}
      backAction={back}
      titleMetadata={
        file.visibility === 'public' ? (
          <Badge tone="attention">{t('Public')}</Badge>
        ) : (
          <Badge>{t('Private')}</Badge>
        )
      }
      primaryAction={<Download file={file} />}
      secondaryActions={[
        { content: t('Edit'), onAction: () => setEditing(true) },
        {
          content: file.link_url === null ? t('Replace file') : t('Change address'),
          onAction: replacing.open,
        },
        ...(remove ? [{ content: t('Delete'), destructive: true, onAction: remove }] : []),
      ]}
    >
      <Layout>
        {news && <Layout.Section variant="fullWidth">{news}</Layout.Section>}
        {query.error && (
          <Layout.Section variant="fullWidth">
            <LoadProblem query={query} what="" />
          </Layout.Section>
        )}
        {file.problem && <Withheld problem={file.problem} release={release} />}
        <Layout.Section>
          <Uses
            file={file}
            onUndone={onStarted}
            actions={{ map, unmap, give }}
            onLink={() => setLinking(true)}
          />
        </Layout.Section>
        <Layout.Section variant="oneThird">
          <Facets file={file} />
        </Layout.Section>
      </Layout>
      {linking && <CreateLink file={file} onClose={() => setLinking(false)} />}
      {editing && <EditFile file={file} onClose={() => setEditing(false)} />}
      {dialog}
      {replacing.shown}
    </Page>
  )
}

/** Why nobody can download the file, and what to do. */
const Withheld = ({
  problem: { code, message },
  release,
}: {
  problem: NonNullable<FileDetail['problem']>
  release: (() => void) | null
}) => (
  <Layout.Section variant="fullWidth">
    <Banner tone="critical" title={message}>
      {code === 'file_quarantined' ? (
        <BlockStack gap="200" inlineAlign="start">
          <p>
            {t('Nobody can download it. Delete it, or release it if you know that it is harmless.')}
          </p>
          {release && <Button onClick={release}>{t('Release from quarantine')}</Button>}
        </BlockStack>
      ) : (
        <p>
          {t(
            'Its links say that it is unavailable and count no downloads. Upload the file again as a new version.',
          )}
        </p>
      )}
    </Banner>
  </Layout.Section>
)

const ReplaceDialog = lazyPart(async () => (await import('./replace-dialog.tsx')).ReplaceDialog, {
  as: 'dialog',
})

/** Replacing the file: by a drop on the page, a button, or the address `?replace`. */
function useReplacing(file: FileDetail, tell: (() => void) | null) {
  const asked = new URLSearchParams(useSearch()).has('replace')
  const [opened, setOpen] = useState(false)
  const open = asked || opened
  const [dropped, setDropped] = useState<ChosenFile | null>(null)
  const close = () => {
    setOpen(false)
    setDropped(null)
    if (asked) navigate(`/files/${file.id}`, { replace: true })
  }
  const shown = (
    <>
      <PageDrop
        text={t('Drop the file to replace {filename}', { filename: file.filename })}
        onFiles={([first]) => {
          setDropped(first ?? null)
          setOpen(true)
        }}
      />
      {open && (
        <ReplaceDialog
          file={file}
          dropped={dropped}
          onClose={close}
          onTell={
            tell &&
            (() => {
              close()
              tell()
            })
          }
        />
      )}
    </>
  )
  return { open: () => setOpen(true), shown }
}

/** An open dialog takes a drop itself, or is in the way of one. */

interface UsesProps {
  file: FileDetail
  actions: Pick<ReturnType<typeof useFileActions>, 'map' | 'unmap' | 'give'>
  onLink: () => void
  onUndone: (operation: Operation) => void
}

/** Where the file is used: its products, links, versions, downloads and history. */
const Uses = ({ file, actions: { map, unmap, give }, onLink, onUndone }: UsesProps) => (
  <BlockStack gap="400">
    <Picture file={file} />
    <MappingsCard file={file} onMap={map} onUnmap={unmap} onGive={give} />
    <LinksCard
      of={{ file_id: file.id, own: 'true' }}
      nothing={t(
        'No links yet. A link lets one buyer download this file until it expires or reaches its limit.',
      )}
      onCreate={onLink}
    />
    <HoldersCard file={file} />
    <VersionsCard file={file} />
    <DownloadsCard file={file} />
    <HistoryCard file={file} onUndone={onUndone} />
  </BlockStack>
)

/** What the file is: its facts, addresses and settings. */
function Facets({ file }: { file: FileDetail }) {
  const sample = sampleSettingOf(file)
  return (
    <BlockStack gap="400">
      <About file={file} />
      {file.public_url && <PublicAddress file={file} url={file.public_url} />}
      {sample && <SampleCard key={String(file[sample])} file={file} setting={sample} />}
      <SettingsCard file={file} />
    </BlockStack>
  )
}

function Download({ file }: { file: FileDetail }) {
  const [error, setError] = useState<Error | null>(null)
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    setError(null)
    await saveFile(file.id, file.filename).catch((reason: unknown) => setError(reason as Error))
    setBusy(false)
  }
  return (
    <BlockStack gap="200" inlineAlign="end">
      <Button variant="primary" loading={busy} onClick={() => void download()}>
        {t('Download')}
      </Button>
      {error && (
        <div role="alert">
          <Text as="p" tone="critical" variant="bodySm">
            {error.message}
          </Text>
        </div>
      )}
    </BlockStack>
  )
}

function About({ file }: { file: FileDetail }) {
  return (
    <Card>
      <BlockStack gap="400">
        <InlineStack gap="300" blockAlign="center" wrap={false}>
          <FileIcon filename={file.filename} contentType={file.content_type} large />
          <BlockStack>
            <Heading>{kindText(file.filename, file.content_type)}</Heading>
            <Text as="span" tone="subdued">
              {file.link_url === null
                ? sizeText(file.size_bytes)
                : t('Buyers are sent to an address')}
            </Text>
          </BlockStack>
        </InlineStack>
        <Facts
          rows={[
            [t('Uploaded'), momentText(file.created_at)],
            [t('Changed'), momentText(file.updated_at)],
            [t('Version'), numberText(file.version)],
            ...(file.packs.length > 0
              ? ([
                  [
                    t('{count, plural, one {Pack} other {Packs}}', { count: file.packs.length }),
                    <PackLinks key="packs" packs={file.packs} />,
                  ],
                ] as const)
              : []),
            [t('Downloads'), numberText(file.downloads)],
            [t('Active links'), numberText(file.links_active)],
            [t('Storage'), storageText(file.storage)],
            [t('Tags'), <Tags key="tags" tags={file.tags} />],
            ...(file.sha256 === null && file.link_url === null
              ? ([['SHA-256', t('Not computed yet')]] as const)
              : []),
          ]}
        />
        {file.link_url !== null && <LeadsTo address={file.link_url} />}
        {file.sha256 !== null && file.link_url === null && (
          <BlockStack gap="100">
            <Text as="h3" variant="bodySm" tone="subdued">
              {t('SHA-256 checksum')}
            </Text>
            <Code text={file.sha256} what={t('SHA-256 checksum')} wrap />
          </BlockStack>
        )}
      </BlockStack>
    </Card>
  )
}

/** The address of a link, with its host as browsers resolve it: look-alike letters show. */
const LeadsTo = ({ address }: { address: string }) => (
  <BlockStack gap="100">
    <Text as="h3" variant="bodySm" tone="subdued">
      {t('Leads to')}
    </Text>
    <Code text={address} what={t('address of the link')} wrap />
    {/(^|\.)xn--/.test(URL.parse(address)?.hostname ?? '') && (
      <Text as="p" variant="bodySm" tone="caution">
        {t(
          'The host has letters of another script, which may look like others. It is shown in ASCII.',
        )}
      </Text>
    )}
    <Link url={address} target="_blank">
      {t('Open the address')}
    </Link>
  </BlockStack>
)

const PackLinks = ({ packs }: { packs: FileDetail['packs'] }) => (
  <span>
    {packs.map(({ id, name }, at) => (
      <Fragment key={id}>
        {at > 0 && ', '}
        <Link url={`/packs/${id}`}>{name}</Link>
      </Fragment>
    ))}
  </span>
)

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return t('None')
  return (
    <span className="tags">
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  )
}
