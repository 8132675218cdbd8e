// The first numbers of our advisory locks: each use has its own, so that two uses never share a
// lock.

/** A worker is connected. The second number is the worker's. */
export const WORKER_LOCKS = 728_115
/** A process of the drop server is connected. The second number is the process's. */
export const DROP_LOCKS = 728_116
/** An order is being read. The second number is a hash of shop and order. */
export const ORDER_LOCKS = 728_117
/** Locks by name (locks.ts). The second number is a hash of the name. */
export const NAMED_LOCKS = 728_118
/** A process uses a folder of uploads. The second number is of the folder and the process's role. */
export const UPLOAD_FOLDER_LOCKS = 728_119

/** Locks that a process holds while it is connected. */
export type HeldLocks = typeof WORKER_LOCKS | typeof DROP_LOCKS | typeof UPLOAD_FOLDER_LOCKS
