// The files of a delivery, each with its terms and what is left of them.
import { type DeliveredFile, type DeliveryDetail } from './calls.ts'
import { Copy } from '../../shell/components/copy.tsx'
import { linkStatus } from '../../shell/files/labels.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { askText } from '../links/ask-form.ts'
import { isUnused, usedText, viewsEndTexts, viewsLeftTexts, waitingTexts } from '../links/labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Link,
  LockIcon,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { ViewsBadge } from '../links/views-badge.tsx'
import { shownStatus } from './unblock.ts'
import './deliveries.css'

interface Props {
  delivery: DeliveryDetail
  onAdd: () => void
  /** Takes a file back that was added to this order. */
  onTakeBack: (file: DeliveredFile) => void
  onTerms: (files: readonly DeliveredFile[]) => void
  onReplace: (file: DeliveredFile) => void
  /** Makes a file available before its release. */
  onRelease: (file: DeliveredFile) => void
  onUse: (file: DeliveredFile) => void
}

export function FilesCard({
  delivery: { file_list, status },
  onAdd,
  onTakeBack,
  onTerms,
  onReplace,
  onRelease,
  onUse,
}: Props) {
  const changeable = status === 'ready' || status === 'held'
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Heading>{t('Files')}</Heading>
          <InlineStack gap="200">
            {changeable && file_list.length > 0 && (
              <Button onClick={() => onTerms(file_list)}>{t('Extend all')}</Button>
            )}
            {status !== 'revoked' && <Button onClick={onAdd}>{t('Add files …')}</Button>}
          </InlineStack>
        </InlineStack>
      </Box>
      {file_list.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>
            {t('No file. None of the products has one, or the order no longer entitles to any.')}
          </Hint>
        </Box>
      )}
      <ul className="delivered" aria-label={t('Files')}>
        {file_list.map((file) => (
          <FileRow
            key={file.file_id}
            file={file}
            changeable={changeable}
            onTerms={() => onTerms([file])}
            onReplace={() => onReplace(file)}
            onRelease={() => onRelease(file)}
            onUse={() => onUse(file)}
            onTakeBack={() => onTakeBack(file)}
          />
        ))}
      </ul>
    </Card>
  )
}

interface RowProps {
  file: DeliveredFile
  changeable: boolean
  onTerms: () => void
  onReplace: () => void
  onRelease: () => void
  onUse: () => void
  onTakeBack: () => void
}

/** The size of a file, what its buyer waits for, its expiry and its last download. */
function aboutText(file: DeliveredFile): string {
  const { size_bytes, expires_at, last_download_at, view, view_expires_at } = file
  // The expiry of a file that is only viewed is that of its views.
  const isViewed = view === 'view_only' && view_expires_at !== null
  return [
    sizeText(size_bytes),
    ...waitingTexts(file),
    ...(isViewed
      ? []
      : expires_at !== null
        ? [t('expires {at}', { at: momentText(expires_at) })]
        : isUnused(file)
          ? []
          : [t('never expires')]),
    ...viewsEndTexts(file),
    ...(last_download_at ? [t('last download {at}', { at: momentText(last_download_at) })] : []),
  ].join(' · ')
}

function FileRow(props: RowProps) {
  const { file } = props
  const { file_id, filename, licence_key } = file
  return (
    <li>
      <BlockStack gap="100">
        <Link url={`/files/${file_id}`} monochrome removeUnderline>
          <Text as="span" fontWeight="medium" breakWord>
            {filename}
          </Text>
        </Link>
        <SmallPrint>{aboutText(file)}</SmallPrint>
        {file.tag_problem !== null && (
          <SmallPrint>
            {file.tag_problem === 'guest'
              ? t('Needs the customer tag {tag}. The order has no customer account.', {
                  tag: file.customer_tag ?? '',
                })
              : t('The customer does not have the tag {tag} now.', {
                  tag: file.customer_tag ?? '',
                })}
          </SmallPrint>
        )}
        {licence_key && (
          <InlineStack gap="200" blockAlign="center">
            <Text as="span" variant="bodySm" breakWord>
              {t('Licence key: {key}', { key: licence_key })}
            </Text>
            <Copy text={licence_key} what={t('licence key')} />
          </InlineStack>
        )}
      </BlockStack>
      <span className="tabular">
        {[
          ...(file.view === 'view_only' ? [] : [t('Downloads: {used}', { used: usedText(file) })]),
          ...viewsLeftTexts(file),
        ].join(' · ')}
      </span>
      <FileActions {...props} />
    </li>
  )
}

function FileActions(props: RowProps) {
  const { file, changeable, onTerms, onReplace, onRelease, onUse, onTakeBack } = props
  const { filename } = file
  const status = linkStatus(shownStatus(file, new Date()))
  return (
    <div className="row-actions">
      {file.preparing && <Badge tone="attention">{t('Not prepared yet')}</Badge>}
      {file.ask_for !== null && <Badge icon={LockIcon}>{askText(file.ask_for)}</Badge>}
      {file.tag_problem !== null && <Badge tone="warning">{t('Customer tag missing')}</Badge>}
      {file.added && <Badge>{t('Added to this order')}</Badge>}
      <Badge tone={status.tone}>{status.text}</Badge>
      <ViewsBadge file={file} />
      {changeable && file.status === 'not_released' && (
        <Button
          variant="plain"
          accessibilityLabel={actionName(t('Make available'), filename)}
          onClick={onRelease}
        >
          {t('Make available')}
        </Button>
      )}
      {changeable && (
        <>
          <Button
            variant="plain"
            accessibilityLabel={actionName(t('Extend'), filename)}
            onClick={onTerms}
          >
            {t('Extend')}
          </Button>
          <Button
            variant="plain"
            accessibilityLabel={actionName(t('Rental'), filename)}
            onClick={onUse}
          >
            {t('Rental')}
          </Button>
          <Button
            variant="plain"
            accessibilityLabel={actionName(t('Replace'), filename)}
            onClick={onReplace}
          >
            {t('Replace')}
          </Button>
          {file.added && file.status !== 'withdrawn' && (
            <Button
              variant="plain"
              tone="critical"
              accessibilityLabel={actionName(t('Take back'), filename)}
              onClick={onTakeBack}
            >
              {t('Take back')}
            </Button>
          )}
        </>
      )}
    </div>
  )
}
