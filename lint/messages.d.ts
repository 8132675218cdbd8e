export function messagesIn(folder: string): Map<string, string[]>
