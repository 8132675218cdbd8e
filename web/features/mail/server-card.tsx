// The shop's own mail server: its settings, and whether it is confirmed.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Button,
  Checkbox,
  FormLayout,
  Hint,
  InlineStack,
  Select,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { useSaveServer, type MailServer, type SavedServer } from './calls.ts'
import { ServerConfirmation } from './server-confirmation.tsx'

const SECURITIES: { value: MailServer['security']; label: string; port: number }[] = [
  { value: 'starttls', label: t('STARTTLS (usually port 587)'), port: 587 },
  { value: 'tls', label: t('TLS (usually port 465)'), port: 465 },
  { value: 'none', label: t('None, without a password'), port: 25 },
]
const USUAL_PORTS = SECURITIES.map(({ port }) => String(port))

/** The encryption, and its usual port in place of the other's. */
function securityOf(value: string, port: string): Partial<Draft> {
  const chosen = SECURITIES.find((one) => one.value === value)
  if (!chosen) return {}
  const isUsual = USUAL_PORTS.includes(port)
  return { security: chosen.value, ...(isUsual ? { port: String(chosen.port) } : {}) }
}

type Draft = ReturnType<typeof draftOf>

const draftOf = (server: SavedServer | null) => ({
  host: server?.host ?? '',
  port: String(server?.port ?? 587),
  security: server?.security ?? ('starttls' as const),
  user: server?.user ?? '',
  from: server?.from ?? '',
  reports: server?.reports ?? false,
  password: '',
})

interface Props {
  server: SavedServer | null
  /** The installation reads reports about mails. */
  reports: boolean
}

export function ServerCard({ server, reports }: Props) {
  const [open, setOpen] = useState(false)
  // Kept until its dialog is closed, also when the server is gone.
  const [removing, setRemoving] = useState<SavedServer | null>(null)
  const save = useSaveServer()
  const openForm = (next: boolean) => {
    save.reset()
    setOpen(next)
  }
  return (
    <Titled
      title={t('Your own mail server')}
      help={t('Mails then come from your address and appear in your provider’s statistics.')}
      action={
        server && (
          <Badge tone={server.confirmed_at ? 'success' : 'attention'}>
            {server.confirmed_at ? t('Confirmed') : t('Not confirmed')}
          </Badge>
        )
      }
    >
      {server && !open && !server.confirmed_at && <ServerConfirmation server={server} />}
      {server && !open && server.confirmed_at && <Confirmed {...server} at={server.confirmed_at} />}
      {open ? (
        <ServerForm server={server} reports={reports} save={save} onClose={() => openForm(false)} />
      ) : (
        <InlineStack gap="200">
          <Button onClick={() => openForm(true)}>
            {server ? t('Change the server') : t('Add a mail server')}
          </Button>
          {server && (
            <Button tone="critical" variant="plain" onClick={() => setRemoving(server)}>
              {t('Remove')}
            </Button>
          )}
        </InlineStack>
      )}
      {removing && <RemoveServer server={removing} onClose={() => setRemoving(null)} />}
    </Titled>
  )
}

function RemoveServer({ server, onClose }: { server: SavedServer; onClose: () => void }) {
  const save = useSaveServer()
  return (
    <DeleteDialog
      open
      title={t('Remove your mail server?')}
      button={t('Remove')}
      problem={t('The server could not be removed')}
      deleting={save.isPending}
      error={save.error}
      onDelete={() =>
        save.mutate(null, {
          onSuccess: () => {
            toast(t('The server was removed'))
            onClose()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t(
          'No more mails are sent through {host}. To use it again, you have to enter its settings and its password, and confirm it.',
          { host: server.host },
        )}
      </Text>
    </DeleteDialog>
  )
}

const Confirmed = ({ from, host, reports, at }: SavedServer & { at: string }) => (
  <>
    <p>{t('{from}, through {host}, since {at}.', { from, host, at: momentText(at) })}</p>
    <Hint>
      {reports
        ? t('Mails that come back are reported to the app.')
        : t(
            'Mails that come back later go to {from}: the app does not see them, so their deliveries are not listed as unreachable.',
            { from },
          )}
    </Hint>
  </>
)

interface FormProps extends Props {
  save: ReturnType<typeof useSaveServer>
  onClose: () => void
}

/** The settings that are being edited, their problems, and saving them. */
function useServerForm({ server, save, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => draftOf(server))
  const problems = problemsOf(objectionsIn(save.error))
  const set = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }))
    if (save.error) save.reset()
  }
  const { password, port, ...rest } = draft
  const submit = () =>
    save.mutate(
      { ...rest, port: Number(port), ...(password === '' ? {} : { password }) },
      {
        onSuccess: () => {
          toast(t('The server was saved'))
          onClose()
        },
      },
    )
  return { draft, set, problems, submit }
}

function ServerForm(props: FormProps) {
  const { server, reports, save, onClose } = props
  const { draft, set, problems, submit } = useServerForm(props)
  const { password, port } = draft
  const field = (name: 'host' | 'port' | 'user' | 'from', label: string, help?: string) => (
    <TextField
      id={fieldId(name)}
      label={label}
      helpText={help}
      inputMode={name === 'port' ? 'numeric' : undefined}
      value={draft[name]}
      error={problems.at(name)}
      onChange={(text) => set({ [name]: text })}
    />
  )
  return (
    <FormLayout>
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The server could not be saved')} />
      )}
      {field('host', t('Server'), t('As your mail provider names it, like smtp.example.com.'))}
      <Select
        id={fieldId('security')}
        label={t('Encryption')}
        options={SECURITIES}
        value={draft.security}
        error={problems.at('security')}
        onChange={(value) => set(securityOf(value, port))}
      />
      {field('port', t('Port'))}
      {field('user', t('User name'), t('Leave it empty if the server needs no sign-in.'))}
      <PasswordField
        saved={server?.has_password === true}
        value={password}
        error={problems.at('password')}
        onChange={(text) => set({ password: text })}
      />
      {field('from', t('From this address'))}
      {(reports || draft.reports) && (
        <ReportsField
          checked={draft.reports}
          error={problems.at('reports')}
          onChange={(chosen) => set({ reports: chosen })}
        />
      )}
      <InlineStack gap="200">
        <Button variant="primary" loading={save.isPending} onClick={submit}>
          {t('Save the server')}
        </Button>
        <Button onClick={onClose}>{t('Cancel')}</Button>
      </InlineStack>
    </FormLayout>
  )
}

interface PasswordProps {
  /** The server has one, which is never sent to the page. */
  saved: boolean
  value: string
  error: string | undefined
  onChange: (password: string) => void
}

const PasswordField = ({ saved, ...field }: PasswordProps) => (
  <TextField
    {...field}
    id={fieldId('password')}
    label={t('Password')}
    helpText={
      saved
        ? t('Leave it empty to keep the saved one.')
        : t('Often a separate password for apps. It is stored encrypted.')
    }
    type="password"
    autoComplete="new-password"
  />
)

interface ReportsProps {
  checked: boolean
  error: string | undefined
  onChange: (chosen: boolean) => void
}

const ReportsField = (props: ReportsProps) => (
  <Checkbox
    label={t('Tell the app about mails that come back')}
    helpText={t(
      'The sender of the envelope is then an address of the app. The test mail shows whether your server accepts it. Your server should sign its mails (DKIM), because receivers compare the sender of the envelope with the servers of the app.',
    )}
    {...props}
  />
)
