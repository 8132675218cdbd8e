export function messagesIn(folder: string, calls?: readonly string[]): Map<string, string[]>
