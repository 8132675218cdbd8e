// Files that operating systems and programs leave in folders, and that are no content: no channel
// imports them. The patterns are read by JavaScript and by PostgreSQL, and have neither `?` nor `:`,
// which would be bindings of a query.

/** Names of files, in any case. */
export const SYSTEM_FILE = String.raw`^(\.ds_store|\._.*|\.localized|\.apdisk|icon\r|\.directory|(eh|)thumbs\.db|ehthumbs_vista\.db|desktop\.ini|~\$.*|\.~lock\..*#|\.nfs[0-9a-f]{8,}|\.fuse_hidden.*|\.dropbox(\.attr|)|\.stignore|\.{0,1}sync(\.[^.]+|)\.ffs_(db|lock)|\.bzempty)$`

/** Folders in a path, in any case: their files are copies, previews and states of a program. */
export const SYSTEM_FOLDER = String.raw`(^|/)(__macosx|\.appledouble|\.appledb|\.spotlight-v100|\.fseventsd|\.temporaryitems|\.documentrevisions-v100|\.trashes|\.trash(-[0-9]+|)|\$recycle\.bin|system volume information|lost\+found|@eadir|#recycle|@recycle|\.@__thumb|\.dropbox\.cache|\.tmp\.drive(down|up)load|\.stfolder|\.stversions|_gsdata_|\.git|\.svn|\.hg)(/|$)`

const FILE = new RegExp(SYSTEM_FILE, 'i')
const FOLDER = new RegExp(SYSTEM_FOLDER, 'i')

/** @param path the name of the file, with its folders in front: `photos/Thumbs.db`. */
export function isSystemFile(path: string): boolean {
  const at = path.lastIndexOf('/')
  return FILE.test(path.slice(at + 1)) || (at > 0 && FOLDER.test(path.slice(0, at)))
}
