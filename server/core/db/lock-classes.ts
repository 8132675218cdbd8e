// The first numbers of our advisory locks: each use has its own, so that two uses never share a
// lock.

/**
 * Held while a worker is connected, so that others notice its death. The second number is the
 * worker's.
 */
export const WORKER_LOCKS = 728_115
/** Held while a process of the drop server is connected. The second number is the process's. */
export const DROP_LOCKS = 728_116
/** Held while an order is read from the platform. The second number is a hash of shop and order. */
export const ORDER_LOCKS = 728_117
/** Locks by name (locks.ts). The second number is a hash of the name. */
export const NAMED_LOCKS = 728_118
/**
 * Held while a process uses a folder of uploads. The second number is of the folder and the role.
 */
export const UPLOAD_FOLDER_LOCKS = 728_119

/** Locks that a process holds while it is connected. */
export type HeldLocks = typeof WORKER_LOCKS | typeof DROP_LOCKS | typeof UPLOAD_FOLDER_LOCKS
