// The presentation of a plugin: its entries in menus, their texts, the files that they fit, and its
// form. All of it is plain data: the page draws an action from the response of GET /api/plugins,
// without code that names the action.
//
// An option's `.meta()` draws its field: `title`, `help`, `widget`, `choices` (the label of each
// value of an enum), `absent` (the label of "not given", where an option may be left out),
// `suffix`, `placeholder`, `percent` (the value 0.3 is shown as 30 %), `samples` (what a sketch shows instead of
// parts of the text), `sensitive` (stored sealed,
// never shown), `start` (the field's initial value in a dialog if the option has no default),
// `missing` (the error if a required value is missing), `needed` (the error if it is empty while other
// options have certain values), `confirm` (the question before the action runs with certain values).

/** The sections of the menu, in their order. */
export const GROUPS = {
  products: 'Products',
  deliver: 'Links and lists',
  organize: 'Names and places',
  documents: 'Images and PDFs',
  tags: 'Tags',
  automate: 'More actions',
  trash: 'Trash',
} as const

export type GroupId = keyof typeof GROUPS

/**
 * Where an action is offered: on selected files, on selected files in the trash, on a list as a
 * whole.
 */
export type ActionPlace = 'files' | 'trash' | 'list'

/**
 * Texts of an action. Those marked ICU are ICU messages (plurals, select): their arguments are
 * `count`, the number of files, and the form's options by their names.
 */
export interface ActionLabels {
  /** The action's name in history, schedules and workflows, as verb and object: `Tag files`. */
  action: string
  /** The entry in the menu; absent: `action`. */
  menu?: string
  /** ICU. Heading of the dialog; absent: `action`. */
  title?: string
  /** ICU. The button that runs it; absent: `action`. */
  button?: string
  /** ICU. The state while it runs: `Tagging {count, plural, one {# file} other {# files}}`. */
  running?: string
  /** ICU. The state when it is done: `{count, plural, one {# file} other {# files}} tagged`. */
  done?: string
  /** The result of the files, placed after `12 of 14 files`: `changed`. */
  result?: string
  /**
   * ICU. A preview's files that would change: `{count, plural, one {# file} other {# files}} would
   * be changed`.
   */
  preview?: string
  /** ICU. A preview's files that would be skipped: `… are not matched`. */
  skipped?: string
  /** ICU. A line above the form. */
  intro?: string
  /** ICU. A line below the form; absent: an explanation of previews, if there is one. */
  note?: string
}

/** Conditions on one selected file. Every given part must hold. */
export interface FileTest {
  /** The file has one of these extensions, in lower case, without a dot. */
  extensions?: readonly string[]
  mapped?: true
  tagged?: true
  /** The file has a tag with capital letters. */
  capitals?: true
}

/**
 * When an action fits the selection. `why`: the reason if it does not; for an `every` rule it may
 * contain the `{filename}`.
 */
export type FitRule =
  /** At least `least` of the selected files must pass; absent: one. */
  | { rule: 'some'; files: FileTest; least?: number; why: string }
  | { rule: 'every'; files: FileTest; why: string }
  /** Files must be selected one by one, at most `most`, because the page lets people order them. */
  | { rule: 'ticked'; most: number; why: string }

export interface ActionFit {
  /** Where the action is offered; absent: on selected files. */
  places?: readonly ActionPlace[]
  /**
   * The rules, checked in order; the first unmet one is shown. Rules count as met if the page does
   * not know all files.
   */
  rules?: readonly FitRule[]
  /** The name of the action's files, if it skips others: `PDF` and `PDFs`. */
  noun?: { one: string; many: string; files: FileTest }
}

/** One entry of the menu. */
export interface ActionSpec {
  /** The action's id, unique within the plugin; absent: the plugin's id. */
  id?: string
  labels: ActionLabels
  /** The section of the menu; absent: `automate`. */
  group?: GroupId
  /** Whether it gets a button next to the menu. */
  promoted?: true
  fits?: ActionFit
  /**
   * `exact`: a preview shows what each file would become. `estimate`: it shows which files are
   * affected, and the result is known afterwards. `none`: not offered. Absent: `exact`, or
   * `estimate` if the plugin works on bytes.
   */
  preview?: 'exact' | 'estimate' | 'none'
  /**
   * When it can be started only from its preview: always, or if the files are selected by a filter.
   */
  previewRequired?: 'always' | 'filter'
  /** Whether it removes something: the button shows this, and Enter does not press it. */
  destructive?: true
  /** ICU texts of a banner above the form. */
  warning?: { tone: 'warning' | 'critical'; title: string; text: string }
  /** The options that its form shows, in this order; absent: all that have a field. */
  fields?: readonly string[]
  /** Options that must be given here, although the plugin can do without them. */
  required?: readonly string[]
  /** Values of options that are always sent. */
  preset?: Readonly<Record<string, JsonValue>>
  /** The name of a hand-written dialog body, for forms that the schema cannot draw. */
  body?: 'rename' | 'merge' | 'links' | 'give' | 'tell' | 'delete' | 'delete-by-filter'
}

/** One decision instead of several options: each choice shows its fields and sends its `set`. */
export interface Alternative {
  title: string
  /** How the choices are drawn; absent: as radio buttons. */
  as?: 'select'
  choices: readonly {
    label: string
    help?: string
    /** The options of this choice. The first of them must be given. */
    fields: readonly string[]
    /** Shorter titles of its fields, next to this choice. */
    titles?: Readonly<Record<string, string>>
    set?: Readonly<Record<string, JsonValue>>
    /** The setting of the shop with which this is the initial choice. */
    usualWith?: 'watermark'
  }[]
}

/** Parts of the plugin's form in addition to its options' schema. */
export interface Form {
  alternatives: readonly Alternative[]
}

/** The report at the end of an operation of this action. */
export interface ReportSpec {
  /**
   * Which ends are reported. `always`: every one. Absent: only those of operations in the
   * background.
   */
  when?: 'always'
  /** The limit that makes an operation run in the background; absent: `update`. */
  background?: 'delete' | 'update'
  /** Whether files that are left without a product are named. */
  unmapped?: true
  /** The next step that the report suggests, if something was done. */
  next?: string
}

/** Every text of an action, with the defaults filled in. */
export type ActionTexts = Required<Omit<ActionLabels, 'intro' | 'note'>> & {
  intro: string | null
  note: string | null
}

/** An action with its defaults filled in. */
export interface ActionView extends Required<
  Pick<ActionSpec, 'id' | 'group' | 'preview' | 'required' | 'preset'>
> {
  labels: ActionTexts
  promoted: boolean
  fits: {
    places: readonly ActionPlace[]
    rules: readonly FitRule[]
    noun: NonNullable<ActionFit['noun']> | null
  }
  preview_required: 'always' | 'filter' | null
  destructive: boolean
  warning: NonNullable<ActionSpec['warning']> | null
  fields: readonly string[] | null
  body: NonNullable<ActionSpec['body']> | null
}

export const FILES = '{count, plural, one {# file} other {# files}}'

/** The parts of a plugin that decide how it is shown. */
interface PresentedPlugin {
  id: string
  kind: string
  title: string
  scope?: 'items' | 'operation'
  worksOn?: string
  bytes?: boolean
  actions?: readonly ActionSpec[]
}

/**
 * The entries of a plugin's menu, with defaults filled in. Empty: it is only a step of workflows.
 */
export function actionsOf(plugin: PresentedPlugin): readonly ActionView[] {
  const acts =
    plugin.kind === 'act' &&
    plugin.scope !== 'operation' &&
    !['rows', 'deliveries'].includes(plugin.worksOn ?? '')
  const specs = plugin.actions ?? (acts ? [{ labels: { action: plugin.title } }] : [])
  return specs.map((spec) => viewOf(plugin, spec))
}

function viewOf(plugin: PresentedPlugin, spec: ActionSpec): ActionView {
  const {
    places = [inTrash(plugin) ? 'trash' : 'files'],
    rules = [],
    noun = null,
  } = spec.fits ?? {}
  return {
    id: spec.id ?? plugin.id,
    group: spec.group ?? 'automate',
    labels: textsOf(spec.labels),
    promoted: spec.promoted ?? false,
    fits: { places, rules, noun },
    preview: spec.preview ?? (plugin.scope !== 'operation' && plugin.bytes ? 'estimate' : 'exact'),
    preview_required: spec.previewRequired ?? null,
    destructive: spec.destructive ?? false,
    warning: spec.warning ?? null,
    fields: spec.fields ?? null,
    required: spec.required ?? [],
    preset: spec.preset ?? {},
    body: spec.body ?? null,
  }
}

const inTrash = (plugin: PresentedPlugin): boolean =>
  plugin.scope !== 'operation' && plugin.worksOn === 'trash'

/** A text as a literal of ICU MessageFormat. */
const literal = (text: string): string => text.replaceAll("'", "''").replaceAll(/[{}]/g, "'$&'")

function textsOf(labels: ActionLabels): ActionTexts {
  const name = literal(labels.action)
  return {
    action: labels.action,
    menu: labels.menu ?? labels.action,
    title: labels.title ?? name,
    button: labels.button ?? name,
    running: labels.running ?? `${name}: ${FILES}`,
    done: labels.done ?? `${name}: ${FILES} done`,
    result: labels.result ?? 'done',
    preview:
      labels.preview ??
      '{count, plural, one {# file would be changed} other {# files would be changed}}',
    skipped:
      labels.skipped ??
      '{count, plural, one {# file is left alone} other {# files are left alone}}',
    intro: labels.intro ?? null,
    note: labels.note ?? null,
  }
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }
